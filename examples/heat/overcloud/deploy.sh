#!/bin/bash
# Deploys the overcloud of the site.
set -eu
openstack overcloud deploy --templates . --stack overcloud \
  -e environments/base.yaml \
  -e environments/storage.yaml \
  -e environments/sriov.yaml \
  -e environments/tls.yaml \
  -e site.yaml
