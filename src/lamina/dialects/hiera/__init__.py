"""Hiera 5, as Puppet 7 looks data up."""
