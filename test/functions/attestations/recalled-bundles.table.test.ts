import { expect, it } from 'vitest';
import { RelayMemory } from '#functions/relay/memory.ts';
import { sweepEvents } from '#functions/relay/sweeps/sweep-events.ts';
import { RELAY_USES } from '#functions/relay/uses.ts';
import { minus } from '#shared/base/time.ts';
import { markRecalled } from '#shared/environments/recalls/mark-recalled.ts';
import { evaluationsOf } from '#shared/evaluations/explain-decisions.ts';
import { SweepParts } from '#shared/sweeps/sweep-parts.ts';
import { envelope, SHA256 } from '#test/shared/signatures/sample-bundles.ts';
import { heldTo } from '#test/support/declared-uses.ts';
import { onServer } from '#test/support/environments.ts';
import { recordingExpansions, recordingQueues } from '#test/support/queue.ts';
import { relayOf } from '#test/support/relay.ts';
import { bundlesApi, errorsOf, key, madeOf, signingOrganization, text } from './bundles-api.ts';

/** Bundles of recalled signers, from the report on (rules/verified-evidence.md#effect-of-recalls). */

const api = await bundlesApi();
const acme = await signingOrganization(api);
const recall = (name: string, json: object) =>
  acme.call('PUT', `/recalls/${acme.org}/${name}`, { json: { reason: 'the key leaked', ...json } });

it('a bundle of a recalled signer that is reported again is stored, does not count, and says so', async () => {
  const file = text();
  const verdict = async () => {
    const { compliance_status: status } = await acme.trail();
    return status.artifacts_statuses['app']?.attestations_statuses.map((one) => one.attestation_name);
  };
  expect(madeOf(await acme.send(file))[0]).not.toHaveProperty('recalled_by');
  expect(await verdict()).toEqual(['build']);
  await recall('leak', { signer: 'ci' });
  expect(await verdict()).toEqual([]);
  const [made] = madeOf(await acme.send(file));
  expect(made).toMatchObject({ grade: 'logged', signer: { name: 'ci' }, recalled_by: ['leak'] });
  expect(await acme.named('build')).toHaveLength(2);
  expect(await verdict()).toEqual([]);
  // It is refused, and nothing stored, where a signature is required.
  const recalled = { bundle_file: "The signature of 'ci' was recalled by 'leak', so it does not count" };
  expect(errorsOf(await acme.send(file, {}, { query: 'require=signed' }))).toEqual([400, recalled]);
  const decision = { attestation_name: 'gate', control: 'C-1' };
  await acme.call('POST', `/controls/${acme.org}`, { json: { identifier: 'C-1', name: 'Release' } });
  expect(errorsOf(await acme.send(file, decision))).toEqual([400, recalled]);
  const both = `${file}\n${JSON.stringify(envelope(key))}`;
  expect(errorsOf(await acme.send(both, {}, { query: 'require=signed' }))).toEqual([400, recalled]);
  expect([(await acme.named('build')).length, (await acme.named('gate')).length]).toEqual([2, 0]);
  await acme.call('DELETE', `/recalls/${acme.org}/leak`);
  expect(await verdict()).toEqual(['build']);
});

it('a recall finds a real bundle by each of its names', async () => {
  const [{ verification }] = (await acme.named('build')) as [
    { verification: { bundle_digest: string; run: string; statement: object } },
  ];
  const builder = (verification.statement as { builder?: { id: string } }).builder?.id;
  const targets = [
    { signer: 'ci' },
    { root: { name: 'own' } },
    { bundles: [verification.bundle_digest] },
    ...(verification.run ? [{ run: verification.run }] : []),
    ...(builder ? [{ builder }] : []),
  ];
  for (const json of targets) {
    const answer = await acme.call('POST', `/recalls/${acme.org}/any/impact`, { json: { reason: 'a leak', ...json } });
    expect([json, answer.json]).toMatchObject([
      json,
      { trails: [{ trail_name: 'run', artifacts: [{ fingerprint: SHA256 }] }] },
    ]);
  }
});

it('marks of a recall that the stream lost are raised after a sweep, and a call without time hands the rest over', async () => {
  const relay = relayOf(api.services, acme.id);
  await acme.putEnvironment('prod');
  await acme.run('prod', { artifacts: [{ digests: { app: SHA256 }, creationTimestamp: 1_776_000_000 }] });
  await acme.run('prod', onServer({ other: 'other' }));
  await acme.run('prod', { artifacts: [{ digests: { app: SHA256 }, creationTimestamp: 1_776_000_000 }] });
  await relay.settle();
  const { mark } = await acme.head('prod');
  await recall('lost', { signer: 'ci' });
  await recall('lost', { signer: 'key' });
  // Nobody hands the recall to the relay. Its entry of the audit log settles.
  const later = { ...api.services.clock, now: () => minus(api.services.clock.now(), -600_000_000) };
  const { queue: expansions, take } = recordingExpansions();
  const services = { ...api.services, ...recordingQueues(), clock: later, expansions };
  const log = () => undefined;
  const isTime = () => true;
  const context = { services, memory: new RelayMemory(), log, evaluationsOf, isTime, isTimeToSettle: isTime };
  await heldTo('relay', RELAY_USES, () => sweepEvents(context, new SweepParts(log, isTime), acme.id));
  const messages = take().flatMap(({ message }) =>
    message.work === 'recall' && message.name === 'lost' ? [message] : [],
  );
  expect(messages.map(({ version }) => version)).toEqual([1, 2]);
  // The second version recalls another signer, so what the first one concerned is looked for in its turn.
  const [, second] = messages;
  if (!second) throw new Error('the sweep sent no message');
  await markRecalled({ services }, second, () => false);
  expect((await acme.head('prod')).mark).toBe(mark);
  const [rest] = take();
  expect(rest?.message).toMatchObject({ work: 'recall', name: 'lost', version: 2, turn: 1, place: null, marked: [] });
  await markRecalled({ services }, { ...second, turn: 1 }, () => false);
  expect((await acme.head('prod')).mark).toBe(mark + 1);
});
