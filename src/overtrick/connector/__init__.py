"""The Data Connector of document 000: wire types, dispatch, queues, named pipe, HTTP, and a client for it."""
