/** Every setting that adds resources or settings of functions, for the region `eu`. The region `us` keeps its defaults. */
export const OPTIONAL_SETTINGS = {
  'eu:alarmAddress': 'team@example.com',
  'eu:mailSender': 'evidence@example.com',
  'eu:domainName': 'eu.example.com',
  'eu:certificateArn': 'arn:aws:acm:eu-central-1:123456789012:certificate/11111111-2222-3333-4444-555555555555',
  'eu:signInIssuer': 'https://login.example.com',
  'eu:signInClientId': 'evidence',
  'eu:signInSecretName': '/evidence/sign-in-secret',
  'eu:witnessPolicy':
    'witness us witness.us.log.us.example.com+ac7aecb7+BIqI4910CfGV/VLbLTy6XXLKZwm/HZQSG/N0iAG0D29c https://us.example.com/api/v2/witness; quorum us;',
  'eu:witnessedLogs': 'us.log.us.example.com+211c9abf+AYE5dw6ofRdfVqNUZsNMfszLjYqRtO43ol32D1uPybOU',
};
