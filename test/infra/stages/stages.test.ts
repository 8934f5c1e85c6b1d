import { describe, expect, test } from 'vitest';
import { StageError } from '#infra/stages/stage-error.ts';
import { DEFAULT_STAGES, type GivenStages, readStages, stageNamed } from '#infra/stages/stages.ts';

const certificate = (region: string) =>
  `arn:aws:acm:${region}:123456789012:certificate/11111111-2222-3333-4444-555555555555`;

const read = (given: GivenStages) => readStages(given, 'stages.json');

const refusalOf = (given: GivenStages): string => {
  try {
    read(given);
  } catch (error) {
    if (error instanceof StageError) return error.message;
    throw error;
  }
  throw new Error('The settings were accepted');
};

describe('the stages', () => {
  test('are one for Europe and one for the United States, each with a region there', () => {
    const stages = read(DEFAULT_STAGES);
    expect(stages.map(({ name }) => name)).toEqual(['eu', 'us']);
    for (const { name, region } of stages) expect(region).toMatch(new RegExp(`^${name}-`));
  });

  test('differ only in their regions if the file sets nothing', () => {
    const [eu, us] = read({ eu: {}, us: {} });
    expect({ ...eu, name: '', region: '' }).toEqual({ ...us, name: '', region: '' });
  });

  test('are those of the file and no others, with any names and regions', () => {
    const stages = read({
      'eu-trial': { region: 'eu-north-1' },
      tokyo: { region: 'ap-northeast-1', account: '123456789012' },
    });
    expect(stages.map(({ name, region, account }) => [name, region, account])).toEqual([
      ['eu-trial', 'eu-north-1', undefined],
      ['tokyo', 'ap-northeast-1', '123456789012'],
    ]);
  });

  test('are found by their names', () => {
    const stages = read(DEFAULT_STAGES);
    expect(stageNamed(stages, 'us').region).toBe('us-east-1');
    expect(() => stageNamed(stages, 'mars')).toThrow(
      new StageError("stages.json: there is no stage 'mars'; the stages are eu, us."),
    );
  });

  test('accept numbers and booleans, also as texts', () => {
    const asTexts = {
      logRetentionDays: '365',
      objectLock: 'true',
      requestsPerSecond: '50',
      uploadOrigins: 'https://ci.example.com,https://docs.example.com',
    };
    const asValues = { ...asTexts, logRetentionDays: 365, objectLock: true, requestsPerSecond: 50 };
    const [eu, us] = read({ eu: asTexts, us: asValues });
    const values = { ...asValues, uploadOrigins: ['https://ci.example.com', 'https://docs.example.com'] };
    expect(eu).toMatchObject(values);
    expect(us).toMatchObject(values);
  });

  test('accept a domain with a certificate of the same region', () => {
    const domain = { domainName: 'eu.example.com', certificateArn: certificate('eu-central-1') };
    expect(read({ eu: domain })).toMatchObject([domain]);
  });

  test('accept tags, and a boundary by its name or its ARN', () => {
    const arn = 'arn:aws:iam::123456789012:policy/team/boundary';
    const given = {
      eu: { tags: { 'cost-center': '4711' }, permissionsBoundary: arn },
      us: { permissionsBoundary: 'boundary' },
    };
    expect(read(given)).toMatchObject([
      { tags: { 'cost-center': '4711' } },
      { tags: {}, permissionsBoundary: 'boundary' },
    ]);
  });
});

describe('a wrong setting is refused in one sentence', () => {
  test.each([
    ['logRetentionDays', '17', "'logRetentionDays' of the stage 'eu' must be one of 1, 3, 5,"],
    ['logRetentionDays', 'long', "'logRetentionDays' of the stage 'eu' must be one of 1, 3, 5,"],
    ['region', 'us-east-1', "'region' of the stage 'eu' must be a region in eu, because"],
    ['region', 'Virginia', 'must be the name of an AWS region'],
    ['objectLock', 'yes', "'objectLock' of the stage 'eu' must be true or false"],
    ['uploadOrigins', 'http://ci.example.com', "'uploadOrigins' of the stage 'eu' must be * or a comma-separated list"],
    ['restoredTableStream', 'evidence', "'restoredTableStream' of the stage 'eu' must be the ARN of a table's stream"],
    [
      'restoredTableStream',
      'arn:aws:dynamodb:us-east-1:123456789012:table/evidence/stream/2026-11-21T00:00:00.000',
      "'restoredTableStream' of the stage 'eu' must be a stream in eu-central-1",
    ],
    ['account', '1234', "'account' of the stage 'eu' must be an account number of 12 digits"],
    ['mailSender', 'Evidence <evidence@example.com>', "'mailSender' of the stage 'eu' must be an e-mail address"],
    ['alarmAddress', 'somebody', "'alarmAddress' of the stage 'eu' must be an e-mail address"],
    [
      'witnessPolicy',
      'quorum us',
      "'witnessPolicy' of the stage 'eu' is refused: Line 1 of the policy: 'us' is not a witness",
    ],
    ['witnessSeconds', '0', "'witnessSeconds' of the stage 'eu' must be a whole number of seconds, at least 1"],
    [
      'witnessedLogs',
      'key',
      "'witnessedLogs' of the stage 'eu' is refused: The verifier key 'key' does not have the form",
    ],
    ['reservedConcurrency', '0', "'reservedConcurrency' of the stage 'eu' must be a whole number of executions"],
    ['requestsPerSecond', '0', "'requestsPerSecond' of the stage 'eu' must be a whole number of requests per second"],
    ...['0/5', '-1/5', '5/1', '5', '1.5/3', ''].map((text): [string, string, string] => [
      'organizationRequests',
      text,
      "'organizationRequests' of the stage 'eu' must be requests in a second and at once, such as 400/2000",
    ]),
    [
      'keyWrites',
      '1001/2000',
      "'keyWrites' of the stage 'eu' must not be above 'requestsPerSecond' and 'requestBurst'",
    ],
    ['requestBurst', '1.5', "'requestBurst' of the stage 'eu' must be a whole number of requests, at least 1"],
    ['requestBurst', '', "'requestBurst' of the stage 'eu' must be a whole number of requests, at least 1"],
    ['domainName', 'eu.example.com', "'certificateArn' of the stage 'eu' must be set beside 'domainName'"],
    ['certificateArn', certificate('eu-central-1'), "'domainName' of the stage 'eu' must be set beside"],
    [
      'signInIssuer',
      'http://login.example.com',
      "'signInIssuer' of the stage 'eu' must be the https address of an issuer",
    ],
    ['signInIssuer', 'https://login.example.com/?a=b', "'signInIssuer' of the stage 'eu' must be the https address"],
    [
      'signInIssuer',
      'https://login.example.com',
      "'signInClientId' of the stage 'eu' must be set beside 'signInIssuer'",
    ],
    ['signInClientId', 'evidence', "'signInIssuer' of the stage 'eu' must be set beside 'signInClientId'"],
    ['signInSecretName', 'a/b', "'signInIssuer' of the stage 'eu' must be set beside 'signInSecretName'"],
    ['signInSecretName', 'a b', "'signInSecretName' of the stage 'eu' must be the name of a parameter"],
    [
      'signInScopes',
      'email',
      "'signInScopes' of the stage 'eu' must be scopes separated by spaces, and openid among them",
    ],
    ['signInGroupsClaim', '', "'signInGroupsClaim' of the stage 'eu' must be the name of a claim"],
    ['signInRules', 'all', "'signInRules' of the stage 'eu' must be none, domain, group or domain,group"],
    [
      'deliveriesConcurrency',
      1,
      "'deliveriesConcurrency' of the stage 'eu' must be a whole number of calls from 2 to 1000",
    ],
    [
      'streamParallelization',
      11,
      "'streamParallelization' of the stage 'eu' must be a whole number of calls from 1 to 10",
    ],
    [
      'tableReadUnits',
      0,
      "'tableReadUnits' of the stage 'eu' must be a whole number of read units per second, at least 1",
    ],
    ['tableWriteUnits', 'many', "'tableWriteUnits' of the stage 'eu' must be a whole number of write units per second"],
    ['dataEventsDays', 0, "'dataEventsDays' of the stage 'eu' must be a whole number of days, at least 1"],
    ['tags', 'team', "'tags' of the stage 'eu' must be an object of at most 40 tags"],
    ['tags', { 'aws:team': 'a' }, "'tags' of the stage 'eu' must be an object of at most 40 tags"],
    ['tags', { team: 4711 }, "'tags' of the stage 'eu' must be an object of at most 40 tags"],
    [
      'permissionsBoundary',
      'a b',
      "'permissionsBoundary' of the stage 'eu' must be the name or the ARN of a managed policy",
    ],
    ['backupVaultArn', 'evidence', "'backupVaultArn' of the stage 'eu' must be the ARN of a backup vault"],
    [
      'backupVaultArn',
      'arn:aws:backup:us-east-1:123456789012:backup-vault:evidence',
      "'backupVaultArn' of the stage 'eu' must be in a region that begins with eu-",
    ],
    ['replicaBucketArn', 'copies', "'replicaBucketArn' of the stage 'eu' must be the ARN of a bucket"],
    ['replicaKeyArn', 'key', "'replicaKeyArn' of the stage 'eu' must be the ARN of a key"],
    ['certificateArn', 'eu.example.com', "'certificateArn' of the stage 'eu' must be the ARN of a certificate"],
  ])('%s=%s', (setting, value, sentence) => {
    const refusal = refusalOf({ eu: { [setting]: value } });
    expect(refusal).toContain(sentence);
    expect(refusal).toMatch(/^stages\.json: '\w+' of the stage 'eu' [^\n]+\.$/);
  });

  test('a replica without its key, and a replica in another area', () => {
    const eu = { replicaBucketArn: 'arn:aws:s3:::copies' };
    expect(refusalOf({ eu })).toContain("'replicaKeyArn' of the stage 'eu' must be set beside 'replicaBucketArn'");
    const replicaKeyArn = 'arn:aws:kms:us-east-1:123456789012:key/11111111-2222-3333-4444-555555555555';
    expect(refusalOf({ eu: { ...eu, replicaKeyArn } })).toContain('must be in a region that begins with eu-');
  });

  test('a certificate of another region', () => {
    const eu = { domainName: 'eu.example.com', certificateArn: certificate('us-east-1') };
    expect(refusalOf({ eu })).toContain("'certificateArn' of the stage 'eu' must be a certificate in eu-central-1");
  });

  test.each<[string, GivenStages, string]>([
    ['no stage', {}, "stages.json: 'stages' names no stage."],
    [
      'a name with upper case',
      { EU: {} },
      "stages.json: the name of the stage 'EU' must be 2 to 20 lower-case letters,",
    ],
    ['a name that is too long', { ['a'.repeat(21)]: {} }, 'must be 2 to 20 lower-case letters'],
    ['a name that ends with a dash', { 'a-': {} }, 'with a letter first and no dash last'],
    ['a name of JavaScript', JSON.parse('{ "__proto__": {} }'), "the name of the stage '__proto__' must be"],
    ['a stage without settings', { eu: null }, "the stage 'eu' must be an object with settings; it is null."],
    [
      'a stage without a region',
      { tokyo: {} },
      "'region' of the stage 'tokyo' must be the name of an AWS region; it is not set.",
    ],
    [
      'a stage outside of its area',
      { 'us-two': { region: 'eu-west-1' } },
      "'region' of the stage 'us-two' must be a region in us,",
    ],
    [
      'a setting that does not exist',
      { eu: { logRetentionDay: 30 } },
      "'logRetentionDay' of the stage 'eu' is no setting; the settings are region, account,",
    ],
    [
      'a setting of JavaScript',
      JSON.parse('{ "eu": { "__proto__": {} } }'),
      "'__proto__' of the stage 'eu' is no setting",
    ],
  ])('%s', (_, given, sentence) => {
    const refusal = refusalOf(given);
    expect(refusal).toContain(sentence);
    expect(refusal).toMatch(/^stages\.json: [^\n]+\.$/);
  });
});
