"""The Lagrangian dual at scale: its oracle, its subgradient search, the tables that jobs share."""
