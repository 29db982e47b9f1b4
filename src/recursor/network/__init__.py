"""The reasoner: encode, process, decode, with a call stack. Each part handles one graph; `jax.vmap` adds the batch."""
