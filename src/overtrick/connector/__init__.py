"""The Data Connector of Bridgemate's guide: wire types, dispatch, queues, named pipe, HTTP, and a client for it."""
