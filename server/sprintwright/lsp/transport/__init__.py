"""How bytes get in and out of the server: descriptors, frames, a reading and a writing thread, and the log.

Nothing here knows pygls: these modules are loaded before it, so that the protocol's pipe is safe from the first moment.
"""
