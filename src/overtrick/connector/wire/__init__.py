"""What the Data Connector says and hears, property by property. It knows nothing of the house behind it."""
