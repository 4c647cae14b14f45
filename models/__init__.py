"""The mathematics as readable PuLP programs: the specification that runs."""
