import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { StageError } from '#infra/stages/stage-error.ts';
import { deployedStages, stagesOfFile } from '#infra/stages/stages-file.ts';
import { temporaryFolder } from '../synthesized.ts';

const folder = temporaryFolder('stages-');

/** Writes `cdk.json` and, if given, `stages.json`. */
function write(cdk: unknown, stages?: unknown): void {
  const text = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value, null, 2));
  writeFileSync(join(folder, 'cdk.json'), text(cdk));
  if (stages !== undefined) writeFileSync(join(folder, 'stages.json'), text(stages));
}

const refusalOf = (read: () => unknown): string => {
  try {
    read();
  } catch (error) {
    if (error instanceof StageError) return error.message;
    throw error;
  }
  throw new Error('The settings were accepted');
};

const ONE_SENTENCE = /^[^\n]+[^.\n]\.$/;

test('the stages are eu and us if cdk.json names none', () => {
  for (const cdk of [{ app: 'x' }, { context: {} }]) {
    write(cdk);
    expect(stagesOfFile(folder).map(({ name, file }) => [name, file])).toEqual([
      ['eu', 'cdk.json'],
      ['us', 'cdk.json'],
    ]);
  }
});

test('the stages stand in cdk.json, or in the file that it names', () => {
  const stages = { trial: { region: 'eu-west-1' } };
  write({ context: { stages } });
  expect(stagesOfFile(folder)).toMatchObject([{ name: 'trial', file: 'cdk.json', region: 'eu-west-1' }]);
  write({ context: { stages: 'stages.json' } }, stages);
  expect(stagesOfFile(folder)).toMatchObject([{ name: 'trial', file: 'stages.json', region: 'eu-west-1' }]);
});

test('a deployment and a command of the operator read the same stages', () => {
  const context = { stages: { eu: { logRetentionDays: 30 } } };
  write({ context });
  const ofToolkit = { '@aws-cdk/core:x': true, 'aws:cdk:bundling-stacks': [], 'aws-cdk:enableDiffNoFail': 'true' };
  expect(deployedStages(folder, { ...context, ...ofToolkit })).toEqual(stagesOfFile(folder));
});

test.each([
  ['a setting by flag', { 'eu:alarmAddress': 'a@example.com' }, "'eu:alarmAddress' was given by a flag"],
  ['a setting of a stage that is not in the file', { 'mars:region': 'eu-west-1' }, "'mars:region' was given by a flag"],
  ['an unknown key', { domainName: 'eu.example.com' }, "'domainName' was given by a flag"],
])('%s is refused with the file where it belongs', (_, flags, sentence) => {
  write({ context: { stages: 'stages.json' } }, { eu: {} });
  const refusal = refusalOf(() => deployedStages(folder, { stages: 'stages.json', ...flags }));
  expect(refusal).toContain(sentence);
  expect(refusal).toContain('stand in stages.json');
  expect(refusal).toMatch(ONE_SENTENCE);
});

test.each([
  ['by a flag', { stages: 'other.json' }, { context: { stages: 'stages.json' } }],
  ['by a flag beside a file without them', { stages: 'other.json' }, {}],
  ['by the settings of a person', { stages: { eu: {} } }, { context: { stages: { us: {} } } }],
])('stages that are given %s are refused', (_, context, cdk) => {
  write(cdk, { eu: {} });
  const refusal = refusalOf(() => deployedStages(folder, context));
  expect(refusal).toContain("'stages' was given by a flag or by another file");
  expect(refusal).toMatch(ONE_SENTENCE);
});

const NAMED = { context: { stages: 'stages.json' } };

test.each([
  [
    'two stages with one name',
    '{\n"eu": {},\n"us": {},\n"eu": { "region": "eu-west-1" }\n}',
    'the key "eu" stands twice in one object, the second time in line 4',
  ],
  ['a setting that stands twice', '{ "eu": { "tags": { "a": "b", "a": "c" } } }', 'the key "a" stands twice'],
  ['a name that is written in two ways', '{ "eu": {}, "\\u0065u": {} }', 'the key "\\u0065u" stands twice'],
  ['a file that is not JSON', '{ "eu": {}, }', 'stages.json is not JSON:'],
  ['a list of stages', '["eu"]', 'stages.json: the stages must be an object'],
  [
    'a wrong setting',
    '{ "eu": { "logRetentionDays": 17 } }',
    "stages.json: 'logRetentionDays' of the stage 'eu' must be one of",
  ],
])('%s is refused in one sentence that names the file', (_, text, sentence) => {
  write(NAMED, text);
  const refusal = refusalOf(() => stagesOfFile(folder));
  expect(refusal).toContain(sentence);
  expect(refusal).toMatch(/^stages\.json/);
  expect(refusal).toMatch(ONE_SENTENCE);
});

test.each([
  ['the file of stages', { context: { stages: 'none.json' } }, 'none.json cannot be read in '],
  ['an object as context', { context: 'eu' }, "cdk.json: 'context' must be an object."],
  ['stages that are an object', { context: { stages: 7 } }, 'cdk.json: the stages must be an object'],
])('a cdk.json without %s is refused', (_, cdk, sentence) => {
  write(cdk);
  expect(refusalOf(() => stagesOfFile(folder))).toContain(sentence);
});

test('a folder without cdk.json is refused, so that no command goes to the default stages by mistake', () => {
  expect(refusalOf(() => stagesOfFile(join(folder, 'nowhere')))).toMatch(
    /^cdk\.json cannot be read in .*; run the command in the folder of the checkout\.$/,
  );
});
