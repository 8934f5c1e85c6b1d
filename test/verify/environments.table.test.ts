import { describe, expect, it } from 'vitest';
import { groups } from '#functions/groups.ts';
import { processEvaluation } from '#shared/evaluations/process-evaluation.ts';
import { verifierKey } from '#shared/tlog/keys.ts';
import { policyOf } from '#shared/tlog/policy.ts';
import { ALLOW_ALL, anEvaluation } from '#test/functions/evaluations/evaluations-api.ts';
import { testApi } from '#test/support/api.ts';
import { environmentsOfOrganization, onServer } from '#test/support/environments.ts';
import { anArtifact } from '#test/support/evidence.ts';
import { exporterOf, logEverything } from '#test/support/log/exports.ts';
import { readBag } from '#test/support/log/read-tar.ts';
import { relayOf } from '#test/support/relay.ts';
import { verifyFiles } from '#verify/export.ts';
import { Fault } from '#verify/fault.ts';
import { withChanged, withLines } from './changed-export.ts';
import { asExport } from './sample-export.ts';
import type { Files } from './sample-log.ts';

const api = await testApi(groups.filter(({ name }) => name !== 'meta' && name !== 'reference'));
const { services } = api;
const exporter = exporterOf(services);

const { files, policy } = await honestExport();

/** An organization with three environments, what ran in them, and evaluations; its export as it is. */
async function honestExport() {
  const acme = await environmentsOfOrganization(api);
  const relay = relayOf(services, acme.id);
  await acme.putFlow('web');
  await acme.begin({ name: 'run' });
  for (const name of ['api', 'cli', 'db']) await acme.report(anArtifact(name));
  for (const name of ['prod', 'test']) await acme.putEnvironment(name);
  await acme.putEnvironment('all', 'logical', { included_environments: ['prod'] });
  await acme.run('prod', onServer({ api: 'api' }));
  await acme.run('test', onServer({ db: 'db', other: 'other' }));
  await acme.run('prod', onServer({ api: 'api', cli: 'cli' }));
  expect(
    (await acme.call('PUT', `/environments/${acme.org}/test/rename`, { json: { new_name: 'stage' } })).status,
  ).toBe(200);
  await relay.settle();
  expect((await acme.call('POST', `/controls/${acme.org}`, { json: { identifier: 'C.1', name: 'C.1' } })).status).toBe(
    201,
  );
  const decision = { control: 'C.1', name: 'gate', flow: 'web', trail: 'run' };
  const policies = [ALLOW_ALL, ALLOW_ALL.replace('true', 'false'), 'package policy\n\nallow if input.nothing\n'];
  for (const [i, text] of policies.entries()) {
    const json = anEvaluation({
      policy: { files: { 'policy.rego': text } },
      params: { a: i },
      ...(i === 1 && { decision }),
    });
    const asked = await acme.call('POST', `/evaluations/${acme.org}`, { json, key: acme.keys.member });
    await processEvaluation(services, acme.id, (asked.json as { id: string }).id);
  }
  await logEverything(services, acme.id);
  const { id } = (await acme.call('POST', `/exports/${acme.org}`)).json as { id: string };
  await exporter.run({ org: acme.id, id });
  const made = (await acme.get(`/exports/${acme.org}/${id}`)).json as { download_url: string; log: { origin: string } };
  const archive = new Uint8Array(await (await fetch(made.download_url)).arrayBuffer());
  const key = verifierKey(made.log.origin, 'ed25519', (await services.keys.log()).publicKey);
  const bag = await readBag(archive);
  return { files: bag.files as Files, folder: bag.folder, policy: policyOf(key) };
}

const verified = (changed: Files) => verifyFiles({ ...asExport(changed), folder: 'x' }, { policy });

/** Returns the first fault as the command prints it. */
async function faultOf(changed: Files): Promise<string> {
  const outcome = await verified(changed).catch((error: unknown) => error);
  if (!(outcome instanceof Fault)) throw new Error('No fault was found', { cause: outcome });
  return `${outcome.place}: ${outcome.message}`;
}

type Line = Record<string, unknown>;
const member = (line: Line, name: string): Line => line[name] as Line;
const isCompleted = ({ status }: Line) => status === 'completed';
const isItem = (name: string) => (line: Line) => line['item'] === name;
const isNumber = (number: number) => (line: Line) => line['number'] === number && line['item'] !== 'content';
const isStart = ({ type, report }: Line) => type === 'started' && report !== null;

describe('an export with environments and evaluations', () => {
  it('is verified, and says what follows', async () => {
    const { scope, counts } = await verified(files);
    const rows = Object.fromEntries(scope.map((row) => [row.name, row]));
    expect(counts).toMatchObject({ evaluations: 3, snapshots: 5 });
    const all = (name: string, standing: 'proved' | 'follows') => {
      const row = rows[name];
      expect(row?.lines, name).toBeGreaterThan(0);
      expect(row?.[standing], `${name} ${standing}`).toBe(row?.lines);
    };
    for (const name of ['snapshots/snapshot', 'snapshots/content', 'evaluations/evaluation']) all(name, 'proved');
    for (const name of ['runtime-events/runtime_event', 'deployments/deployments', 'builds/build'])
      all(name, 'follows');
    expect(rows['expansions/expansion']).toMatchObject({ follows: 3, 'not covered': 0 });
    // The logical environment has events of its member, which are not compared.
    const { lines = 0, follows = 0, note } = rows['environment-events/environment_event'] ?? {};
    expect(follows).toBe(4);
    expect(lines - follows).toBeGreaterThan(0);
    expect(note).toBe('events of logical environments are not compared');
  });

  it.each<[string, () => Files, RegExp]>([
    [
      'the names of two environments are exchanged',
      () =>
        withChanged(files, 'environments', isItem('environment'), (line) => {
          const other: Record<string, string> = { prod: 'stage', stage: 'prod' };
          return { ...line, name: other[String(line['name'])] ?? line['name'] };
        }),
      /the record environments\/environment .+ has the digest .+, the audit log says/,
    ],
    [
      'the old name of an environment is given again',
      () =>
        withChanged(files, 'snapshots', isItem('snapshot'), (line) =>
          line['name'] === 'test' ? { ...line, name: 'prod' } : line,
        ),
      /under the commitment 'summary'/,
    ],
    [
      'a snapshot has a further member',
      () => withChanged(files, 'snapshots', isItem('snapshot'), (line) => ({ ...line, note: 'x' })),
      /the record has another form/,
    ],
    [
      'a content is marked as erased',
      () =>
        withChanged(files, 'snapshots', isItem('content'), (line) => ({
          ...line,
          body: { erased: { at: 1, reason: 'x' } },
        })),
      /the content is gone, and no command erases contents/,
    ],
    [
      'the state of an environment is turned',
      () => withChanged(files, 'environments', isItem('environment'), (line) => ({ ...line, state: true })),
      /has another 'state' than snapshot/,
    ],
    [
      'an event is removed',
      () => withChanged(files, 'environment-events', isNumber(1), (line) => (line['report'] ? null : line)),
      /no line has event 1 of environment/,
    ],
    [
      'all events are removed',
      () => withLines(files, 'environment-events', () => []),
      /no line has event 1 of environment/,
    ],
    [
      'an event is changed',
      () => withChanged(files, 'environment-events', isStart, (line) => ({ ...line, compliant: true })),
      /does not follow from its snapshot/,
    ],
    [
      'the time of a commit in an event is changed',
      () => withChanged(files, 'environment-events', isStart, (line) => ({ ...line, committed: 1 })),
      /has another time of the commit than report/,
    ],
    [
      'an event is there twice',
      () => withLines(files, 'environment-events', (lines) => [...lines.slice(0, 1), ...lines]),
      /the line follows from no snapshot|no line has event/,
    ],
    [
      'a runtime event is removed',
      () => withLines(files, 'runtime-events', (lines) => lines.slice(1)),
      /no line has the runtime event/,
    ],
    [
      'a runtime event has another environment',
      () => withLines(files, 'runtime-events', ([first, ...lines]) => [{ ...first, name: 'other' }, ...lines]),
      /the line does not follow from snapshot/,
    ],
    [
      'a runtime event is added',
      () => withLines(files, 'runtime-events', (lines) => [...lines, { ...lines[0], id: '0' }]),
      /the line follows from no snapshot/,
    ],
    [
      'deployments are removed',
      () => withLines(files, 'deployments', (lines) => lines.slice(1)),
      /no line has the deployments on/,
    ],
    [
      'deployments are counted less',
      () => withLines(files, 'deployments', ([first, ...lines]) => [{ ...first, all: 1 }, ...lines]),
      /do not follow from its snapshots/,
    ],
    [
      'the progress of effects is removed',
      () => withLines(files, 'expansions', () => []),
      /no line says how far the effects of environment/,
    ],
    ['a build is removed', () => withLines(files, 'builds', (lines) => lines.slice(1)), /no line has the build of/],
    [
      'a build is changed',
      () => withLines(files, 'builds', ([first, ...lines]) => [{ ...first, trail: 'other' }, ...lines]),
      /the line is not the first report of/,
    ],
    [
      'effects are shown as not stored yet',
      () =>
        withChanged(
          files,
          'expansions',
          ({ index }) => index !== 0,
          (line) => ({ ...line, index: 99 }),
        ),
      /the export does not have snapshot 99/,
    ],
    [
      'a build is there twice',
      () => withLines(files, 'builds', (lines) => [...lines, ...lines.slice(0, 1)]),
      /the export has no report of/,
    ],
    [
      'an evaluation is removed',
      () => withLines(files, 'evaluations', (lines) => lines.slice(1)),
      /entry \d+ of the log has no record: evaluation/,
    ],
    [
      'the result of an evaluation is exchanged',
      () =>
        withLines(files, 'evaluations', (lines) => {
          const [one, other] = lines.filter(isCompleted);
          return lines.map((line) => (line === one ? { ...line, result: other?.['result'] } : line));
        }),
      /under the commitment 'result'/,
    ],
    [
      'the policy of an evaluation is exchanged',
      () =>
        withLines(files, 'evaluations', ([one, two, ...more]) => [
          { ...one, policy: two?.['policy'] },
          ...(two ? [two] : []),
          ...more,
        ]),
      /under the commitment 'policy'/,
    ],
    [
      'the verdict of an evaluation is turned',
      () => withChanged(files, 'evaluations', isCompleted, (line) => ({ ...line, allow: !line['allow'] })),
      /under the commitment 'evaluation'/,
    ],
    [
      'the digest of an input is changed',
      () =>
        withChanged(files, 'evaluations', isCompleted, (line) => ({
          ...line,
          proof: { ...member(line, 'proof'), input: '0'.repeat(64) },
        })),
      /another digest of the input/,
    ],
    [
      'an evaluation is marked as erased without an entry',
      () =>
        withChanged(files, 'evaluations', isCompleted, (line) => {
          const erased = { at: Number(line['ended']) + 1, reason: 'x' };
          const proof = { ...member(line, 'proof'), params: null, input: null };
          return { ...line, proof, erased, input: { erased }, params: { erased }, result: { erased } };
        }),
      /the text under '(params|input|result)' is gone, and no entry of the audit log names its erasure/,
    ],
    [
      'an evaluation is shown as pending',
      () => withChanged(files, 'evaluations', isCompleted, (line) => ({ ...line, ended: null, status: 'pending' })),
      /has ended, and its line says that it has not/,
    ],
    [
      'the message of an error is emptied',
      () =>
        withChanged(
          files,
          'evaluations',
          ({ status }) => status === 'failed',
          (line) => ({ ...line, error: { ...member(line, 'error'), message: '' } }),
        ),
      /under the commitment 'error'/,
    ],
    [
      'the evaluation of a decision lacks',
      () => withLines(files, 'evaluations', (lines) => lines.filter(({ decisionId }) => decisionId === null)),
      /entry \d+ of the log has no record: evaluation/,
    ],
  ])('is refused if %s', async (_, change, fault) => {
    expect(await faultOf(change())).toMatch(fault);
  });
});
