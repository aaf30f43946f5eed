"""The wire format of the Data Connector: DTOs, their rules and envelopes. Does not use the journal."""
