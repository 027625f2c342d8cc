"""Multimodal language models, local or in a cloud, as judges of a prefix; nothing here is loaded while none is on."""
