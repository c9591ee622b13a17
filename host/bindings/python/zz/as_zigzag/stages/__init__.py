"""ZigZag's stages and lists of them, run as pipelines of zz."""
