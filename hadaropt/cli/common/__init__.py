"""What all commands share: answers, errors, exit codes, files, options, progress."""
