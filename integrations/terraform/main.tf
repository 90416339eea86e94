# Values that Lamina merges, in Terraform: strings as they are, everything else as JSON.
data "external" "site" {
  program = ["lamina", "render", "-q", "--format", "external", "--project", path.module, "--target", "web1"]
}

output "timezone" {
  value = data.external.site.result.timezone
}

output "packages" {
  value = jsondecode(data.external.site.result.packages)
}
