/** Every setting that adds resources, for the region `eu`. The region `us` keeps its defaults. */
export const OPTIONAL_SETTINGS = {
  'eu:alarmAddress': 'team@example.com',
  'eu:mailSender': 'evidence@example.com',
  'eu:domainName': 'eu.example.com',
  'eu:certificateArn': 'arn:aws:acm:eu-central-1:123456789012:certificate/11111111-2222-3333-4444-555555555555',
};
