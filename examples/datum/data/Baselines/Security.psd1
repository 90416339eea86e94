# What every server gets, whatever its role.
@{
    Configurations = @('LocalUsers')
    LocalUsers     = @{
        Users = @(
            @{ Name = 'svc-backup'; PasswordNeverExpires = $true }
            @{ Name = 'auditor'; Groups = 'Event Log Readers', 'Performance Monitor Users' }
        )
    }
    Registry       = @{
        Telemetry = @{ AllowTelemetry = 0 }
        Smb       = @{ SMB1 = 0; RequireSecuritySignature = 1 }
    }
    SoftwareBaseline = @{
        Packages = @(
            @{ Name = 'SecurityAgent'; Version = '5.2'; Options = @{ Server = 'sec.example.com'; Port = 8443 } }
        )
    }
}
