import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { env } from 'node:process';
import { expect, it, onTestFinished, vi } from 'vitest';
import { groups } from '#functions/groups.ts';
import { cloudStage } from '#infra/restore/cloud-stage.ts';
import { setRestoredTableStream } from '#infra/restore/stages-edit.ts';
import { stagesOfFile } from '#infra/stages/stages-file.ts';
import { serviceTemplates, synthesize } from '../synthesized.ts';

const ARN = 'arn:aws:dynamodb:eu-central-1:123456789012:table/evidence-restored-20260301T120000Z';
const STREAM = `${ARN}/stream/2026-03-01T13:00:00.000`;
const TABLE = { name: 'evidence-restored-20260301T120000Z', streamArn: STREAM };

/** A checkout with a file of stages, and a toolkit that notes what it is called with and what the file says then. */
function checkout(cdk: object, files: Record<string, object> = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'checkout-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const [name, value] of Object.entries({ 'cdk.json': cdk, ...files })) {
    writeFileSync(join(folder, name), JSON.stringify(value, null, 2));
  }
  const [bin, calls] = [join(folder, 'bin'), join(folder, 'calls')];
  mkdirSync(bin);
  writeFileSync(
    join(bin, 'npx'),
    `#!/bin/sh
has=$(grep -c restoredTableStream cdk.json stages.json 2>/dev/null | grep -c ':[^0]')
for last; do case $last in *resources.json) mapping=$(cat $last);; esac; done
echo "$(echo "$*" | sed 's#/[^ ]*resources.json#FILE#') setting=$has $mapping" >> ${calls}
[ ! -e fails ] || exit 1
`,
  );
  chmodSync(join(bin, 'npx'), 0o755);
  const { PATH: path = '' } = env;
  vi.stubEnv('PATH', `${bin}${delimiter}${path}`);
  onTestFinished(() => void vi.unstubAllEnvs());
  return {
    folder,
    calls: () => readFileSync(calls, 'utf8').trimEnd().split(/ *\n/),
    json: (name: string) => JSON.parse(readFileSync(join(folder, name), 'utf8')),
    fail: (fails: boolean) => (fails ? writeFileSync(join(folder, 'fails'), '') : rmSync(join(folder, 'fails'))),
  };
}

const notes = () => {
  const noted = new Set<string>();
  return { isNoted: async (what: string) => noted.has(what), note: async (what: string) => void noted.add(what) };
};
const silent = () => undefined;

it('hands the traffic over by a setting in the file of stages and a deployment of the stacks that use the table', async () => {
  const { folder, calls, json } = checkout({ app: 'x', context: { stages: { eu: { logRetentionDays: 30 }, us: {} } } });
  const said: string[] = [];
  await cloudStage(folder, 'eu').handOver(TABLE, (sentence) => said.push(sentence));
  expect(calls()).toEqual(['cdk deploy --exclusively eu/service eu/watch --require-approval never setting=1']);
  expect(json('cdk.json')).toEqual({
    app: 'x',
    context: { stages: { eu: { logRetentionDays: 30, restoredTableStream: STREAM }, us: {} } },
  });
  expect(said).toEqual([
    "  The setting 'restoredTableStream' of the stage 'eu' is written into cdk.json",
    '  npx cdk deploy --exclusively eu/service eu/watch --require-approval never',
  ]);
});

it('lets the stateful stack leave the old table out, then import the restored one, and then deploys every stack', async () => {
  const { folder, calls, json } = checkout({ context: { stages: 'stages.json' } }, { 'stages.json': { eu: {} } });
  setRestoredTableStream(folder, 'eu', STREAM);
  await cloudStage(folder, 'eu').own(TABLE, silent, notes());
  expect(calls()).toEqual([
    'cdk deploy --exclusively eu/stateful --require-approval never setting=1',
    `cdk import eu/stateful --resource-mapping FILE --force setting=0 {"EvidenceTable":{"TableName":"${TABLE.name}"}}`,
    'cdk deploy eu/* --require-approval never setting=0',
  ]);
  expect(json('stages.json')).toEqual({ eu: {} });
});

it('goes on behind the step that failed, and never deploys the stateful stack so that it makes an empty table', async () => {
  const { folder, calls, fail } = checkout({ context: { stages: { eu: {} } } });
  const kept = notes();
  const own = () => cloudStage(folder, 'eu').own(TABLE, silent, kept);
  fail(true);
  await expect(own()).rejects.toThrow("'npx cdk deploy --exclusively eu/stateful --require-approval never' failed");
  // Somebody took the setting out meanwhile.
  setRestoredTableStream(folder, 'eu', undefined);
  fail(false);
  await own();
  const deployments = calls().filter((call) => call.includes('--exclusively eu/stateful'));
  expect(deployments.map((call) => call.includes('setting=1'))).toEqual([true, true]);
  await own();
  expect(calls().filter((call) => call.includes('import'))).toHaveLength(1);
});

it('writes the default stages into cdk.json if it names none, and takes the setting out again', () => {
  const { folder, json } = checkout({ app: 'x' });
  expect(setRestoredTableStream(folder, 'eu', STREAM)).toBe('cdk.json');
  expect(stagesOfFile(folder).map(({ name, restoredTableStream }) => [name, restoredTableStream])).toEqual([
    ['eu', STREAM],
    ['us', undefined],
  ]);
  expect(setRestoredTableStream(folder, 'eu', STREAM)).toBeNull();
  setRestoredTableStream(folder, 'eu', undefined);
  expect(json('cdk.json')).toEqual({ app: 'x', context: { stages: { eu: {}, us: {} } } });
});

it('says which stages there are if the stage of a restore is not in the file', () => {
  const { folder } = checkout({ context: { stages: { eu: {} } } });
  expect(() => cloudStage(folder, 'mars')).toThrow("there is no stage 'mars'; the stages are eu.");
});

const usual = serviceTemplates().eu;
const restored = synthesize(groups, { eu: { restoredTableStream: STREAM } }).eu;

it('a restored table changes the table and its exports in the stateful stack, and nothing else', () => {
  const [before, after] = [structuredClone(usual.stateful.toJSON()), restored.stateful.toJSON()];
  expect(Object.keys(after['Resources'])).not.toContain('EvidenceTable');
  expect(before['Resources']['EvidenceTable']).toMatchObject({
    DeletionPolicy: expect.stringMatching(/^Retain/),
    UpdateReplacePolicy: 'Retain',
  });
  delete before['Resources']['EvidenceTable'];
  for (const [name, value] of Object.entries(before['Outputs'])) {
    if (JSON.stringify(value).includes('EvidenceTable')) delete before['Outputs'][name];
  }
  expect(after).toEqual(before);
});

it('a restored table changes the names of the table and of its stream in the service stack, and nothing else', () => {
  /** Returns a template as text, without names of the table. Functions have the same archive in both. */
  const nameless = (template: object): string =>
    JSON.stringify(template)
      .replaceAll(/\{"Fn::ImportValue":"[^"]*EvidenceTable[^"]*StreamArn[^"]*"\}/g, '"STREAM"')
      .replaceAll(/\{"Fn::ImportValue":"[^"]*EvidenceTable[^"]*Arn[^"]*"\}/g, '"TABLE"')
      .replaceAll(/\{"Fn::ImportValue":"[^"]*RefEvidenceTable[^"]*"\}/g, '"NAME"')
      .replaceAll(`"${STREAM}"`, '"STREAM"')
      .replaceAll(`"${ARN}"`, '"TABLE"')
      .replaceAll(`"${TABLE.name}"`, '"NAME"');
  expect(JSON.parse(nameless(restored.service.toJSON()))).toEqual(JSON.parse(nameless(usual.service.toJSON())));
});
