import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { groups } from '#functions/groups.ts';

/** Every write of the API has a form or a button in the console, or a reason why it has none. */

const ROOT = join(import.meta.dirname, '../../..');

const REPORTED = 'a pipeline or a reporter sends it; the page «Connect» has the commands';
/** Writes without a form. A new write fails the test below until it has a form, or a reason here. */
const WITHOUT_FORM: Readonly<Record<string, string>> = {
  beginTrail: REPORTED,
  reportArtifact: REPORTED,
  attestGeneric: REPORTED,
  attestCustom: REPORTED,
  attestIssueTracker: REPORTED,
  attestJira: REPORTED,
  attestJunit: REPORTED,
  attestSnyk: REPORTED,
  attestSonar: REPORTED,
  attestPullRequest: REPORTED,
  attestSystem: REPORTED,
  attestBundle: REPORTED,
  reportBundles: REPORTED,
  presignUpload: REPORTED,
  reportK8S: REPORTED,
  reportContainerOrchestrator: REPORTED,
  reportECS: REPORTED,
  reportCloudContainerOrchestrator: REPORTED,
  reportS3: REPORTED,
  reportObjectStorage: REPORTED,
  reportLambda: REPORTED,
  reportServerless: REPORTED,
  reportServer: REPORTED,
  reportDocker: REPORTED,
  reportContainerRuntime: REPORTED,
  reportAzureApps: REPORTED,
  reportCloudApps: REPORTED,
  reportCloudRun: REPORTED,
  reportCloudContainers: REPORTED,
  reportOtherKind: REPORTED,
  checkSigner: 'changes nothing; a trial of a bundle that lies on a machine',
  attestOverride:
    'evidence in the name of a person, who needs the files of the reason: the command on the attestation does it',
  exchangeToken: 'a job exchanges the token that only it has',
  addCheckpoint: 'a log asks its witness; no person does',
  putFlow: 'the form sends a template as well, which is the other endpoint of the same write',
  tagControls: 'a second spelling of tagControl',
  joinEnvironment: 'the form of a logical environment sets all of its members',
  deleteEnvironmentNotification: 'an environment notification is an action, and the form of the action deletes it',
  answerAgent: 'changes nothing; programs speak here',
  dryRunPolicy: 'changes nothing; a trial of a file that lies on a machine',
  dryRunEvaluation: 'changes nothing; a trial of files that lie on a machine',
  requestEvaluation: 'the files of the policy program lie in a repository; the page of evaluations has the command',
};

/** Method and path of each operation that the console names. */
function named(): Set<string> {
  const files = readdirSync(join(ROOT, 'console'), { recursive: true, encoding: 'utf8' });
  const texts = files
    .filter((file) => /\.tsx?$/.test(file))
    .map((file) => readFileSync(join(ROOT, 'console', file), 'utf8'));
  const calls = texts.flatMap((text) => [
    ...text.matchAll(/operation<[^>]+>\(\)\(\s*'(?<method>[A-Z]+)',\s*'(?<path>[^']+)'/g),
  ]);
  return new Set(calls.map(({ groups: call }) => `${call?.['method']} ${call?.['path']}`));
}

describe('the writes of the API', () => {
  const inConsole = named();
  const endpoints = groups
    .flatMap((group) => group.endpoints)
    .filter(({ method }) => method !== 'GET')
    .map(({ operation, method, path }) => ({ operation, address: `${method} ${path}` }));

  it('the console names the writes in a form that this test reads', () => {
    expect(inConsole.size).toBeGreaterThan(80);
    expect(inConsole).toContain('PUT /trusts/{org}/{name}');
  });

  it('every write has a form in the console, or a reason why it has none', () => {
    const without = endpoints
      .filter(({ operation, address }) => !inConsole.has(address) && !Object.hasOwn(WITHOUT_FORM, operation))
      .map(({ operation, address }) => `${operation}: ${address}`);
    expect(without).toEqual([]);
  });

  it('no reason is given for a write that has a form, or that the API does not have', () => {
    const needless = Object.keys(WITHOUT_FORM).filter((operation) => {
      const found = endpoints.find((endpoint) => endpoint.operation === operation);
      return found === undefined || inConsole.has(found.address);
    });
    expect(needless).toEqual([]);
  });
});
