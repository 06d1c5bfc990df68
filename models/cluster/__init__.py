"""Jobs, the GPU-hour ledger, the utilisation funnel and MFU (Slurm, DCGM terms)."""
