/** Every setting that adds resources or settings of functions, for the stage `eu`. The stage `us` keeps its defaults. */
export const OPTIONAL_SETTINGS = {
  eu: {
    alarmAddress: 'team@example.com',
    mailSender: 'evidence@example.com',
    domainName: 'eu.example.com',
    certificateArn: 'arn:aws:acm:eu-central-1:123456789012:certificate/11111111-2222-3333-4444-555555555555',
    signInIssuer: 'https://login.example.com',
    signInClientId: 'evidence',
    signInSecretName: '/evidence/sign-in-secret',
    witnessPolicy:
      'witness us witness.us.log.us.example.com+ac7aecb7+BIqI4910CfGV/VLbLTy6XXLKZwm/HZQSG/N0iAG0D29c https://us.example.com/api/v2/witness; quorum us;',
    witnessedLogs: 'us.log.us.example.com+211c9abf+AYE5dw6ofRdfVqNUZsNMfszLjYqRtO43ol32D1uPybOU',
    backupVaultArn: 'arn:aws:backup:eu-west-1:210987654321:backup-vault:evidence',
    replicaBucketArn: 'arn:aws:s3:::evidence-copies',
    replicaKeyArn: 'arn:aws:kms:eu-west-1:123456789012:key/11111111-2222-3333-4444-666666666666',
    dataEventsDays: 400,
    tableReadUnits: 4000,
    tableWriteUnits: 1000,
  },
  us: {},
};
