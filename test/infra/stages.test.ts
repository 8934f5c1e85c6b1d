import { describe, expect, test } from 'vitest';
import { readStages, StageError } from '#infra/stages.ts';

const certificate = (region: string) =>
  `arn:aws:acm:${region}:123456789012:certificate/11111111-2222-3333-4444-555555555555`;

const refusalOf = (context: Record<string, unknown>): string => {
  try {
    readStages(context);
  } catch (error) {
    if (error instanceof StageError) return error.message;
    throw error;
  }
  throw new Error('The settings were accepted');
};

describe('the stages', () => {
  test('are one for Europe and one for the United States, each with a region there', () => {
    const stages = readStages({});
    expect(stages.map(({ name }) => name)).toEqual(['eu', 'us']);
    for (const { name, region } of stages) expect(region).toMatch(new RegExp(`^${name}-`));
  });

  test('differ only in their regions if the context sets nothing', () => {
    const [eu, us] = readStages({});
    expect({ ...eu, name: '', region: '' }).toEqual({ ...us, name: '', region: '' });
  });

  test('accept settings as text, as the command line gives them', () => {
    const [eu, us] = readStages({
      'eu:region': 'eu-west-1',
      'eu:logRetentionDays': '365',
      'eu:objectLock': 'true',
      'eu:uploadOrigins': 'https://ci.example.com,https://docs.example.com',
      'eu:requestsPerSecond': '50',
    });
    expect(eu).toMatchObject({
      region: 'eu-west-1',
      logRetentionDays: 365,
      objectLock: true,
      uploadOrigins: ['https://ci.example.com', 'https://docs.example.com'],
      requestsPerSecond: 50,
    });
    expect(us).toMatchObject({ logRetentionDays: 90, objectLock: false });
  });

  test('accept numbers and booleans, as a context file gives them', () => {
    const [eu] = readStages({ 'eu:logRetentionDays': 30, 'eu:objectLock': true });
    expect(eu).toMatchObject({ logRetentionDays: 30, objectLock: true });
  });

  test('accept a domain with a certificate of the same region', () => {
    const [eu] = readStages({ 'eu:domainName': 'eu.example.com', 'eu:certificateArn': certificate('eu-central-1') });
    expect(eu).toMatchObject({ domainName: 'eu.example.com', certificateArn: certificate('eu-central-1') });
  });

  test('ignore context keys of the CDK itself', () => {
    const toolkit = { '@aws-cdk/core:x': true, 'aws:cdk:bundling-stacks': [], 'aws-cdk:enableDiffNoFail': 'true' };
    expect(readStages(toolkit)).toEqual(readStages({}));
  });
});

describe('readStages refuses a wrong setting in one sentence', () => {
  test.each([
    ['eu:logRetentionDay', '30', "Unknown context key 'eu:logRetentionDay'"],
    ['ue:region', 'eu-west-1', "Unknown context key 'ue:region'"],
    ['eu', '{}', "Unknown context key 'eu'"],
    ['domainName', 'eu.example.com', "Unknown context key 'domainName'"],
    ['eu:constructor', 'x', "Unknown context key 'eu:constructor'"],
    ['__proto__:region', 'x', "Unknown context key '__proto__:region'"],
    ['eu:logRetentionDays', '17', "Context 'eu:logRetentionDays' must be one of 1, 3, 5,"],
    ['eu:logRetentionDays', 'long', "Context 'eu:logRetentionDays' must be one of 1, 3, 5,"],
    ['eu:region', 'us-east-1', 'Context \'eu:region\' must be a region in eu; it is "us-east-1".'],
    ['us:region', 'Virginia', "Context 'us:region' must be the name of an AWS region"],
    ['eu:objectLock', 'yes', "Context 'eu:objectLock' must be true or false"],
    ['eu:uploadOrigins', 'http://ci.example.com', "Context 'eu:uploadOrigins' must be * or a comma-separated list"],
    ['eu:restoredTableStream', 'evidence', "Context 'eu:restoredTableStream' must be the ARN of a table's stream"],
    [
      'eu:restoredTableStream',
      'arn:aws:dynamodb:us-east-1:123456789012:table/evidence/stream/2026-11-21T00:00:00.000',
      "Context 'eu:restoredTableStream' must be a stream in eu-central-1",
    ],
    ['eu:account', '1234', "Context 'eu:account' must be an account number of 12 digits"],
    ['eu:mailSender', 'Evidence <evidence@example.com>', "Context 'eu:mailSender' must be an e-mail address"],
    ['eu:alarmAddress', 'somebody', "Context 'eu:alarmAddress' must be an e-mail address"],
    [
      'eu:witnessPolicy',
      'quorum us',
      "Context 'eu:witnessPolicy' is refused: Line 1 of the policy: 'us' is not a witness",
    ],
    ['eu:witnessSeconds', '0', "Context 'eu:witnessSeconds' must be a whole number of seconds, at least 1"],
    ['eu:witnessedLogs', 'key', "Context 'eu:witnessedLogs' is refused: The verifier key 'key' does not have the form"],
    ['eu:reservedConcurrency', '0', "Context 'eu:reservedConcurrency' must be a whole number of executions"],
    ['eu:requestsPerSecond', '0', "Context 'eu:requestsPerSecond' must be a whole number of requests per second"],
    ['eu:requestBurst', '1.5', "Context 'eu:requestBurst' must be a whole number of requests, at least 1"],
    ['eu:requestBurst', '', "Context 'eu:requestBurst' must be a whole number of requests, at least 1"],
    ['eu:domainName', 'eu.example.com', "Context 'eu:certificateArn' must be set beside 'eu:domainName'"],
    ['eu:certificateArn', certificate('eu-central-1'), "Context 'eu:domainName' must be set beside"],
    ['eu:signInIssuer', 'http://login.example.com', "Context 'eu:signInIssuer' must be the https address of an issuer"],
    ['eu:signInIssuer', 'https://login.example.com/?a=b', "Context 'eu:signInIssuer' must be the https address"],
    [
      'eu:signInIssuer',
      'https://login.example.com',
      "Context 'eu:signInClientId' must be set beside 'eu:signInIssuer'",
    ],
    ['eu:signInClientId', 'evidence', "Context 'eu:signInIssuer' must be set beside 'eu:signInClientId'"],
    ['eu:signInSecretName', 'a/b', "Context 'eu:signInIssuer' must be set beside 'eu:signInSecretName'"],
    ['eu:signInSecretName', 'a b', "Context 'eu:signInSecretName' must be the name of a parameter"],
    ['eu:signInScopes', 'email', "Context 'eu:signInScopes' must be scopes separated by spaces, and openid among them"],
    ['eu:signInGroupsClaim', '', "Context 'eu:signInGroupsClaim' must be the name of a claim"],
    ['eu:signInRules', 'all', "Context 'eu:signInRules' must be none, domain, group or domain,group"],
    ['eu:certificateArn', 'eu.example.com', "Context 'eu:certificateArn' must be the ARN of a certificate"],
  ])('%s=%s', (key, value, sentence) => {
    const refusal = refusalOf({ [key]: value });
    expect(refusal).toContain(sentence);
    expect(refusal).toMatch(/^[^\n]+\.$/);
  });

  test('a certificate of another region', () => {
    const context = { 'eu:domainName': 'eu.example.com', 'eu:certificateArn': certificate('us-east-1') };
    expect(refusalOf(context)).toContain("Context 'eu:certificateArn' must be a certificate in eu-central-1");
  });
});
