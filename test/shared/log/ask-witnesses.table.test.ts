import { describe, expect, it } from 'vitest';
import { sweepAllLogs } from '#functions/integrator/sweep-logs.ts';
import { witnessGroup } from '#functions/witness/endpoints.ts';
import { newId, type OrganizationId } from '#shared/base/ids.ts';
import { publishMessage } from '#shared/log/log-message.ts';
import { cosignedKey, cosignersKey } from '#shared/log/records/keys.ts';
import { readLogState } from '#shared/log/records/log-state.ts';
import { parseWitnessPolicy } from '#shared/log/rules/witness-settings.ts';
import { sweepLogs } from '#shared/log/sweeps/sweep-logs.ts';
import { organizationListKey } from '#shared/organizations/records/keys.ts';
import { addressGuard } from '#shared/outgoing/address-guard.ts';
import { listActive, readActive } from '#shared/sweeps/active-organizations.ts';
import type { Table } from '#shared/table/table.ts';
import { formatCheckpoint } from '#shared/tlog/checkpoint.ts';
import { localKey, privateKeyOf } from '#shared/tlog/ed25519.ts';
import { formatVerifierKey, verifierKey } from '#shared/tlog/keys.ts';
import { formatNote, formatSignatures, parseNote } from '#shared/tlog/notes.ts';
import { openCheckpoint } from '#shared/tlog/policy.ts';
import { witnessSigner } from '#shared/tlog/signer.ts';
import { EMPTY_ROOT } from '#shared/tlog/tree.ts';
import { testApi } from '#test/support/api.ts';
import { integratorOf, LOG_KEY, logOrigin, trailEntries } from '#test/support/log/log.ts';
import { recordingLogEntries } from '#test/support/queue.ts';
import { testTable } from '#test/support/table.ts';
import { LOOPBACK, receiver } from '../outgoing/receiver.ts';

const MINUTE = 60_000_000;
const api = await testApi([witnessGroup]);
const { table, clock } = api.services;
/** Stands for a copy of the table that was made earlier. */
const copy = await testTable();
const domain = logOrigin('x' as OrganizationId).slice('x.'.length);
api.services.witness = { logs: formatVerifierKey(verifierKey(domain, 'ed25519', LOG_KEY.publicKey)) };
const { policy_line: ownLine } = (await api.call('GET', '/witness')).json as { policy_line: string };
const newOrganization = () => newId<OrganizationId>(clock.now());

type Answers = Parameters<typeof receiver>[0];

/** Answers as the witness of this table does. */
const asWitness: Answers = async (response, { method, path, headers, body }) => {
  const request = method === 'GET' ? {} : { text: body, headers: { ...(headers as Record<string, string>) } };
  const answer = await api.call(method, path, request);
  response.writeHead(answer.status, answer.headers).end(answer.text);
};

/** An integrator that asks a witness at a server of the test. */
async function witnessedIntegrator(answers: Answers = asWitness, quorum = 'peer', logs: Table = table, more = '') {
  const server = await receiver(answers);
  const line = ownLine.replace(/^witness \S+/, 'witness peer').replace(/\S+$/, `${new URL(server.url).origin}/witness`);
  const policy = parseWitnessPolicy(`${line}\n${more}quorum ${quorum}\n`);
  const witnesses = { policy, every: MINUTE, guard: addressGuard(LOOPBACK) };
  const integrator = integratorOf(logs, { objects: api.services.objects, clock, witnesses });
  const verify = (org: OrganizationId, note: string) =>
    openCheckpoint(note, { ...policy, logs: [{ key: verifierKey(logOrigin(org), 'ed25519', LOG_KEY.publicKey) }] });
  const oldSizes = () => server.received.flatMap(({ method, body }) => (method === 'POST' ? body.split('\n')[0] : []));
  return { ...integrator, oldSizes, verify, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

describe('the integrator with witnesses', () => {
  it('adds cosignatures to the published checkpoint, at most once a minute, and continues from the last size', async () => {
    await using one = await witnessedIntegrator();
    const org = newOrganization();
    const entries = trailEntries(org, 'asked', 300);
    await one.integrate(org, entries.slice(0, 3));
    const first = await readLogState(table, org);
    expect(one.verify(org, first.checkpoint?.note ?? '').size).toBe(3);
    expect(first.cosigned?.note).toBe(first.checkpoint?.note);
    await one.integrate(org, entries.slice(3, 5));
    expect((await readLogState(table, org)).cosigned?.range.size).toBe(3);
    clock.advance(MINUTE);
    await one.integrate(org, entries.slice(5));
    const last = await readLogState(table, org);
    expect(one.verify(org, last.cosigned?.note ?? '').size).toBe(300);
    expect(one.oldSizes()).toEqual(['old 0', 'old 3']);
    expect(one.logged).toEqual([]);
  });

  it('is asked by the sweep for checkpoints that came before the turn of the witnesses', async () => {
    await using one = await witnessedIntegrator();
    const org = newOrganization();
    const entries = trailEntries(org, 'swept', 4);
    await one.integrate(org, entries.slice(0, 3));
    await one.integrate(org, entries);
    const queue = recordingLogEntries();
    const swept = async () => {
      await sweepLogs({ table, clock, logEntries: queue.queue }, { log: () => undefined });
      return queue.take().filter(({ message }) => message.org === org).length;
    };
    await listActive(table, org, clock.now());
    expect(await swept()).toBe(0);
    clock.advance(MINUTE);
    expect(await swept()).toBe(1);
    await one.work([publishMessage(org).body]);
    expect((await readLogState(table, org)).cosigned?.range.size).toBe(4);
    expect(await swept()).toBe(0);
  });

  it('is asked by no further sweep after the region has lost its witness policy, and again when it has one', async () => {
    await using one = await witnessedIntegrator();
    const alone = integratorOf(table, { objects: api.services.objects, clock });
    const org = newOrganization();
    const entries = trailEntries(org, 'alone', 4);
    await one.integrate(org, entries.slice(0, 2));
    await alone.integrate(org, entries.slice(0, 3));
    await listActive(table, org, clock.now());
    const queue = recordingLogEntries();
    const sweep = async () => {
      clock.advance(MINUTE);
      await sweepLogs({ table, clock, logEntries: queue.queue }, { log: () => undefined });
      const messages = queue.take().flatMap(({ message }) => (message.org === org ? [message] : []));
      await alone.work(messages);
      return messages.length;
    };
    // The message of the first sweep has the checkpoint copied.
    expect([await sweep(), await sweep(), await sweep()]).toEqual([1, 0, 0]);
    await one.integrate(org, entries);
    expect((await readLogState(table, org)).cosigned?.range.size).toBe(4);
  });

  it('asks within the hour for a quiet log whose newest checkpoint lacks the cosignatures of the present policy', async () => {
    const org = newOrganization();
    await table.put({ ...organizationListKey(org), v: 1, name: org });
    // The region has no witness yet, and no sweep lists the log.
    const alone = integratorOf(table, { objects: api.services.objects, clock });
    await alone.integrate(org, trailEntries(org, 'quiet', 3));
    await using one = await witnessedIntegrator();
    const sweep = async (asker: typeof one) => {
      clock.advance(60 * MINUTE);
      await sweepAllLogs(asker.services, { log: () => undefined });
      return asker.oldSizes().length;
    };
    expect(await sweep(one)).toBe(1);
    expect(one.verify(org, (await readLogState(table, org)).cosigned?.note ?? '').size).toBe(3);
    expect(await sweep(one)).toBe(1);
    // As after a call that ended between its two writes.
    await table.transact([{ remove: cosignedKey(org) }]);
    expect(await sweep(one)).toBe(1);
    expect((await readLogState(table, org)).cosigned?.range.size).toBe(3);

    // The policy then asks for a second witness, which is away at first.
    const isAway = { now: true };
    const second = localKey(privateKeyOf(new Uint8Array(32).fill(2)));
    const signer = witnessSigner('second.example', second, () => 1_700_000_000);
    const answers: Answers = async (response, request) => {
      if (isAway.now || request.method === 'GET') return void response.writeHead(404).end();
      const note = parseNote(request.body.slice(request.body.indexOf('\n\n') + 2));
      response.writeHead(200).end(formatSignatures([await signer.sign(note.text)]));
    };
    await using server = await receiver(answers);
    const lines = `witness second ${signer.verifierKey} ${server.url}\ngroup both all peer second\n`;
    await using two = await witnessedIntegrator(asWitness, 'both', table, lines);
    await sweep(two);
    const { checkpoint } = await readLogState(table, org);
    expect(() => two.verify(org, checkpoint?.note ?? '')).toThrow('Too few witnesses');
    isAway.now = false;
    await sweep(two);
    expect(two.verify(org, (await readLogState(table, org)).cosigned?.note ?? '').signatures).toHaveLength(3);
  });

  it('asks again from the size that the witness names', async () => {
    await using one = await witnessedIntegrator();
    const org = newOrganization();
    const entries = trailEntries(org, 'forgot', 9);
    await one.integrate(org, entries.slice(0, 5));
    const { pk, sk } = cosignersKey(org);
    await table.put({ pk, sk, v: 1, next: 0 });
    await one.integrate(org, entries);
    expect((await readLogState(table, org)).cosigned?.range.size).toBe(9);
    expect(one.oldSizes()).toEqual(['old 0', 'old 0', 'old 5']);
  });

  it('stores no cosignature and no later size if the answer is wrong, and says how long that is so', async () => {
    await using wrong = await witnessedIntegrator((response) => response.end('— peer AAAAAAA=\n'));
    const org = newOrganization();
    const entries = trailEntries(org, 'wrong', 2);
    await wrong.integrate(org, entries.slice(0, 1));
    clock.advance(MINUTE);
    await wrong.integrate(org, entries);
    const { cosigned, cosigners, checkpoint } = await readLogState(table, org);
    expect([cosigned, cosigners?.sizes, parseNote(checkpoint?.note ?? '').signatures.length]).toEqual([null, {}, 1]);
    const refused = {
      message: 'A witness did not cosign a checkpoint',
      facts: { outcome: 'refused', status: 200, problem: 'The cosignature is missing or wrong' },
    };
    const lacks = (age_seconds: number) => ({
      message: 'A log lacks the cosignatures of its policy',
      facts: { organization: org, age_seconds: expect.toSatisfy((age) => Math.floor(age) === age_seconds) },
    });
    const silent = { message: 'A witness does not show what it cosigned last', facts: { error: 'TlogError' } };
    expect(wrong.logged).toMatchObject([silent, refused, lacks(0), silent, refused, lacks(60)]);
    expect((await readActive(table)).map(({ org: listed }) => listed)).toContain(org);
  });

  it('publishes although the witness is away, and needs no cosignature without a quorum', async () => {
    await using away = await witnessedIntegrator((response) => response.destroy(), 'none');
    const org = newOrganization();
    expect(await away.integrate(org, trailEntries(org, 'away', 3))).toBe(0);
    expect((await readLogState(table, org)).checkpoint?.range.size).toBe(3);
    const [silent, refused] = [
      'A witness does not show what it cosigned last',
      'A witness did not cosign a checkpoint',
    ];
    expect(away.logged.map(({ message }) => message)).toEqual([silent, refused]);
    // The guard looks again after a minute, and not before.
    await away.integrate(org, trailEntries(org, 'away', 4));
    clock.advance(MINUTE);
    await away.integrate(org, trailEntries(org, 'away', 5));
    expect(away.logged.map(({ message }) => message)).toEqual([silent, refused, silent, refused]);
  });

  it('neither appends to nor signs a log that is smaller than the one that a witness cosigned', async () => {
    await using one = await witnessedIntegrator();
    await using older = await witnessedIntegrator(asWitness, 'peer', copy);
    const org = newOrganization();
    const entries = trailEntries(org, 'restored', 5);
    await one.integrate(org, entries);
    // Neither the table nor the bucket of this integrator has any of it.
    expect(await older.integrate(org, entries.slice(0, 3))).toBe(1);
    expect(older.logged).toMatchObject([{ facts: { organization: org, error: 'LogBehind' } }]);
    expect(await readLogState(copy, org)).toMatchObject({ head: null, checkpoint: null });
    expect(older.oldSizes()).toEqual([]);
  });

  it('goes on if the larger checkpoint that a witness shows is not signed by the log', async () => {
    const org = newOrganization();
    const forged = formatNote({
      text: formatCheckpoint({ origin: logOrigin(org), size: 99, root: EMPTY_ROOT }),
      signatures: [{ name: logOrigin(org), keyId: '00000000', signature: Buffer.alloc(64) }],
    });
    await using forging = await witnessedIntegrator((response) => response.end(forged), 'none');
    expect(await forging.integrate(org, trailEntries(org, 'forged', 1))).toBe(0);
    expect((await readLogState(table, org)).checkpoint?.range.size).toBe(1);
    expect(forging.logged[0]).toMatchObject({
      message: 'A witness does not show what it cosigned last',
      facts: { error_message: 'The log did not sign the checkpoint' },
    });
  });

  it('reports the log of an older copy of the table as a contradiction', async () => {
    await using one = await witnessedIntegrator();
    await using older = await witnessedIntegrator(asWitness, 'peer', copy);
    const org = newOrganization();
    const entries = trailEntries(org, 'old', 5);
    await one.integrate(org, entries);
    // The bucket was set back too, so that only the witness can tell.
    older.services.guarded.add(org);
    await older.integrate(org, entries.slice(0, 3));
    const contradicts = (facts: object) => ({
      message: 'A witness cosigned a log that contradicts the published one',
      facts: { organization: org, ...facts },
    });
    const lacks = { message: 'A log lacks the cosignatures of its policy' };
    expect(older.logged).toMatchObject([contradicts({ status: 409, size: 3, witnessed: 5 }), lacks]);
    clock.advance(MINUTE);
    await older.integrate(org, trailEntries(org, 'new', 4));
    expect(older.logged.slice(2)).toMatchObject([contradicts({ status: 422, size: 7 }), lacks]);
    expect((await readLogState(copy, org)).cosigned).toBeNull();
  });
});
