import { describe, expect, it } from 'vitest';
import { witnessGroup } from '#functions/witness/endpoints.ts';
import { originDigest } from '#shared/log/records/witnessed.ts';
import { formatCheckpoint } from '#shared/tlog/checkpoint.ts';
import { formatVerifierKey, parseVerifierKey, verifierKey } from '#shared/tlog/keys.ts';
import { formatNote, parseNote, parseSignatures, verifySignatures } from '#shared/tlog/notes.ts';
import { parsePolicy } from '#shared/tlog/policy.ts';
import { consistencyProof } from '#shared/tlog/proofs.ts';
import { logSigner, signNote } from '#shared/tlog/signer.ts';
import { appendLeaves, leafHash, rootOf } from '#shared/tlog/tree.ts';
import { formatAddCheckpoint } from '#shared/tlog/witness-request.ts';
import { testApi } from '#test/support/api.ts';
import { LOG_KEY } from '#test/support/log/log-entries.ts';
import { rangeOf, treeOf } from '../../shared/tlog/sample-log.ts';

const DOMAIN = 'eu.log.example.com';
const api = await testApi([witnessGroup]);
const knownLog = verifierKey(DOMAIN, 'ed25519', LOG_KEY.publicKey);
api.services.witness = { logs: formatVerifierKey(knownLog) };

const described = (await api.call('GET', '/witness')).json as { policy_line: string; logs_key: string };
const [witness] = [...parsePolicy(`${described.policy_line}\nquorum none\n`).witnesses.values()];

/** The checkpoint of a log. @param fork a text by which the last leaf differs from that of the sample log */
function noteOf(origin: string, size: number, fork = ''): Promise<string> {
  const range = fork === '' ? rangeOf(size) : appendLeaves(rangeOf(size - 1), [leafHash(Buffer.from(fork))]);
  const text = formatCheckpoint({ origin, size, root: rootOf(range) });
  return signNote(text, [logSigner(origin, LOG_KEY)]).then(formatNote);
}

const post = (text: string) =>
  api.call('POST', '/witness/add-checkpoint', { text, headers: { 'content-type': 'text/plain' } });

async function add(origin: string, oldSize: number, size: number, fork = '') {
  const proof = oldSize === 0 ? [] : await consistencyProof(oldSize, treeOf(size));
  return post(formatAddCheckpoint({ oldSize, proof, note: await noteOf(origin, size, fork) }));
}

describe('GET /witness', () => {
  it('describes the witness and the key of the logs', () => {
    expect(described).toEqual({
      policy_line: expect.stringMatching(
        /^witness local\.log\.localhost witness\.local\.log\.localhost\+\S+ https:\/\/api\.example\/api\/v2\/witness$/,
      ),
      logs_key: expect.stringMatching(/^local\.log\.localhost\+/),
      known_logs: [formatVerifierKey(knownLog)],
    });
    expect([witness?.key.type, parseVerifierKey(described.logs_key).type]).toEqual(['cosignature', 'ed25519']);
  });
});

describe('POST /witness/add-checkpoint', () => {
  it('cosigns checkpoints that continue the log, and the newest one again', async () => {
    const origin = `first.${DOMAIN}`;
    const begun = Math.floor(api.services.clock.now() / 1e6);
    for (const [oldSize, size] of [
      [0, 5],
      [5, 5],
      [5, 300],
      [300, 601],
      [601, 601],
    ] as const) {
      const { status, headers, text } = await add(origin, oldSize, size);
      expect([oldSize, size, status, headers['content-type']]).toEqual([
        oldSize,
        size,
        200,
        'text/plain; charset=utf-8',
      ]);
      const note = { text: parseNote(await noteOf(origin, size)).text, signatures: parseSignatures(text) };
      const verified = verifySignatures(note, witness ? [witness.key] : []);
      const [{ seconds = 0 } = {}] = verified;
      expect([seconds >= begun, seconds <= api.services.clock.now() / 1e6]).toEqual([true, true]);
    }
  });

  it('names the size that it cosigned last if the request begins at another one', async () => {
    const origin = `second.${DOMAIN}`;
    const early = await add(origin, 3, 5);
    expect([early.status, early.headers['content-type'], early.text]).toEqual([409, 'text/x.tlog.size', '0\n']);
    await add(origin, 0, 8);
    for (const [oldSize, size] of [
      [0, 5],
      [5, 8],
      [5, 5],
      [0, 9],
    ] as const) {
      const { status, text } = await add(origin, oldSize, size);
      expect([oldSize, size, status, text]).toEqual([oldSize, size, 409, '8\n']);
    }
  });

  it('refuses a fork: another root of the same size, and a log that does not continue the old one', async () => {
    const origin = `third.${DOMAIN}`;
    await add(origin, 0, 8);
    expect((await add(origin, 8, 8, 'fork')).status).toBe(422);
    expect((await add(origin, 8, 9, 'fork')).status).toBe(422);
    const withProof = formatAddCheckpoint({ oldSize: 8, proof: [], note: await noteOf(origin, 9) });
    expect((await post(withProof)).status).toBe(422);
    expect((await add(origin, 8, 9)).status).toBe(200);
  });

  it('cosigns one of two forks that come at the same time', async () => {
    for (let round = 0; round < 4; round += 1) {
      const origin = `race-${round}.${DOMAIN}`;
      const forks = await Promise.all(['one', 'other', 'third'].map((fork) => add(origin, 0, 8, fork)));
      expect(forks.map(({ status }) => status).toSorted()).toEqual([200, 409, 409]);
    }
  });

  it('refuses logs that it does not know, and checkpoints that their log did not sign, before it reads the table', async () => {
    const note = await noteOf(`fourth.${DOMAIN}`, 8);
    const request = (changed: string) => formatAddCheckpoint({ oldSize: 0, proof: [], note: changed });
    for (const [text, status] of [
      [request(await noteOf('fourth.us.log.example.com', 8)), 404],
      [request(note.replace('\n8\n', '\n9\n')), 403],
      [request(note.slice(0, note.indexOf('— '))), 403],
      [request(note).replace('old 0', 'old 9'), 400],
      ['old 0\n', 400],
      ['', 400],
      [`old 0\n${' '.repeat(64 * 1024)}`, 413],
    ] as const) {
      expect([(await post(text)).status, api.entries.at(-1)?.['aws_calls']]).toEqual([status, 0]);
    }
    const bytes = Buffer.from([0x6f, 0x6c, 0x64, 0x20, 0xff]);
    expect((await api.call('POST', '/witness/add-checkpoint', { bytes })).status).toBe(400);
  });

  it('makes four calls: read, store, sign, store for monitors', async () => {
    await add(`fifth.${DOMAIN}`, 0, 8);
    expect(api.entries.at(-1)).toMatchObject({ aws_calls: 4, aws_sequential: 4 });
  });
});

describe('GET /witness/{log}/checkpoint', () => {
  it('answers the newest checkpoint with the signatures of its log and of the witness', async () => {
    const origin = `sixth.${DOMAIN}`;
    await add(origin, 0, 5);
    await add(origin, 5, 8);
    const { status, text } = await api.call('GET', `/witness/${originDigest(origin)}/checkpoint`);
    const note = parseNote(text);
    const keys = [verifierKey(origin, 'ed25519', LOG_KEY.publicKey), ...(witness ? [witness.key] : [])];
    expect([status, note.text.split('\n')[1], verifySignatures(note, keys).length]).toEqual([200, '8', 2]);
  });

  it.each([originDigest(`unknown.${DOMAIN}`), 'x', originDigest(`sixth.${DOMAIN}`).toUpperCase()])(
    'answers 404 for %s',
    async (log) => {
      const { status, json } = await api.call('GET', `/witness/${log}/checkpoint`);
      expect([status, json]).toEqual([404, { message: 'The witness has cosigned no checkpoint of this log' }]);
    },
  );
});
