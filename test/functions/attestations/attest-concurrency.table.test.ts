import { describe, expect, it } from 'vitest';
import { newId } from '#shared/base/ids.ts';
import { Contention, retrying } from '#shared/base/retry.ts';
import { stateAsOf } from '#shared/evidence/records/moments.ts';
import { type Commit, commitToTrail, type Draft } from '#shared/evidence/records/trail-commit.ts';
import { readTrail } from '#shared/evidence/records/trail-records.ts';
import { readTrailState } from '#shared/evidence/records/trails.ts';
import { EMPTY_TEMPLATE } from '#shared/evidence/rules/template.ts';
import type { SlotChange } from '#shared/evidence/rules/trail-state.ts';
import { counted, newCount } from '#shared/table/meter.ts';
import {
  anArtifact,
  type EvidenceOfOrganization,
  evidenceApi,
  fingerprintOf,
  newOrganization,
  shaOf,
} from '#test/support/evidence.ts';
import { testName } from '#test/support/ids.ts';
import { faultyTable, tableAround } from '#test/support/table/faults.ts';

const api = await evidenceApi();
const sound = api.services.table;
const RETRIABLE = [409, 503];

/** Repeats a request after the statuses after which clients repeat it. */
async function untilDone(send: () => Promise<{ status: number }>): Promise<number> {
  for (let attempt = 0; attempt < 5; attempt += 1) {
    const { status } = await send();
    if (!RETRIABLE.includes(status)) return status;
  }
  return 0;
}

async function stored(acme: EvidenceOfOrganization, { flow = 'web', trail = 'run' } = {}) {
  const { trail: record } = await readTrail(sound, api.services.objects, acme.id, {
    flow: testName(flow),
    trail: testName(trail),
  });
  if (!record) throw new Error('The trail is not there');
  return record;
}

describe('many writers on one trail', () => {
  it('all succeed after conflicts, and leave moments without gaps and an unbroken hash chain', async () => {
    const acme = await newOrganization(api);
    await acme.report(anArtifact('cli'));
    api.services.table = faultyTable(sound, ({ command, before }) =>
      command === 'TransactWrite' && before % 7 === 3 ? 'conflict' : undefined,
    );
    try {
      const statuses = await Promise.all(
        Array.from({ length: 50 }, (_, i) =>
          untilDone(() =>
            acme.attest('generic', {
              attestation_name: `check-${i}`,
              ...(i % 2 === 0 && { artifact_fingerprint: fingerprintOf('cli') }),
            }),
          ),
        ),
      );
      expect(statuses).toEqual(Array.from({ length: 50 }, () => 201));
    } finally {
      api.services.table = sound;
    }
    const { moments, head, state } = await stored(acme);
    expect(head.number).toBe(52);
    expect(moments.map(({ number }) => number)).toEqual(Array.from({ length: 52 }, (_, i) => i + 1));
    const times = moments.map(({ at }) => at);
    expect(times).toEqual([...new Set(times)].sort((a, b) => a - b));
    expect(stateAsOf(moments)).toEqual(state);
    const { events, compliance_status: status } = await acme.trail();
    expect(new Set(events.slice(2).map((event) => event['template_reference_name'])).size).toBe(50);
    expect(status.attestations_statuses).toHaveLength(25);
    expect(status.artifacts_statuses['cli']?.attestations_statuses).toHaveLength(25);
  }, 120_000);

  it('create one flow and one trail if there is none', async () => {
    const acme = await newOrganization(api);
    const statuses = await Promise.all(
      Array.from({ length: 10 }, (_, i) => untilDone(() => acme.attest('generic', { attestation_name: `c-${i}` }))),
    );
    expect(statuses).toEqual(Array.from({ length: 10 }, () => 201));
    expect((await acme.get(`/flows/${acme.org}`)).json).toHaveLength(1);
    expect((await acme.get(`/trails/${acme.org}`)).json).toMatchObject({ pagination: { total: 1 } });
    const { moments, state } = await stored(acme);
    expect(stateAsOf(moments)).toEqual(state);
    expect((await acme.trail()).events).toHaveLength(11);
  });

  it('create one repository if all name the same one', async () => {
    const acme = await newOrganization(api);
    const repo_info = { id: '1', name: 'acme/web', url: 'https://git.example/web' };
    const statuses = await Promise.all(
      Array.from({ length: 6 }, (_, i) =>
        untilDone(() => acme.attest('generic', { attestation_name: 'c', repo_info }, { trail: `t-${i}` })),
      ),
    );
    expect(statuses).toEqual(Array.from({ length: 6 }, () => 201));
    const ids = await Promise.all(statuses.map(async (_, i) => (await acme.trail({ trail: `t-${i}` })).repo_ids));
    expect(new Set(ids.flat()).size).toBe(1);
  });
});

describe('an attempt whose answer was lost', () => {
  it('is answered with 503, and leaves one complete moment', async () => {
    const acme = await newOrganization(api);
    await acme.begin({});
    api.services.table = faultyTable(sound, ({ command, before }) =>
      command === 'TransactWrite' && before === 0 ? 'timeout-after' : undefined,
    );
    try {
      const answer = await acme.attest('generic', { attestation_name: 'c' });
      expect([answer.status, answer.json]).toEqual([503, { message: 'Service unavailable' }]);
      expect(answer.headers['retry-after']).toBe('1');
    } finally {
      api.services.table = sound;
    }
    expect(await acme.named('c')).toHaveLength(1);
    const { moments, state } = await stored(acme);
    expect(stateAsOf(moments)).toEqual(state);
  });

  it('is not repeated for the same Idempotency-Key', async () => {
    const acme = await newOrganization(api);
    await acme.begin({});
    const send = () =>
      acme.attest('generic', { attestation_name: 'c' }, { request: { headers: { 'idempotency-key': 'once' } } });
    api.services.table = faultyTable(sound, ({ command, before }) =>
      command === 'TransactWrite' && before === 0 ? 'timeout-after' : undefined,
    );
    try {
      expect((await send()).status).toBe(503);
      expect((await send()).status).toBe(201);
    } finally {
      api.services.table = sound;
    }
    expect(await acme.named('c')).toHaveLength(1);
  });
});

describe('a write that never reached the table', () => {
  it('is answered with 503 and Retry-After, and stores nothing', async () => {
    const acme = await newOrganization(api);
    const before = await acme.stored();
    api.services.table = faultyTable(sound, ({ command }) =>
      command === 'TransactWrite' ? 'timeout-before' : undefined,
    );
    try {
      const answer = await acme.attest('generic', { attestation_name: 'c' });
      expect([answer.status, answer.json, answer.headers['retry-after']]).toEqual([
        503,
        { message: 'Service unavailable' },
        '1',
      ]);
    } finally {
      api.services.table = sound;
    }
    expect(await acme.stored()).toEqual(before);
  });
});

describe('a read of a trail while others write', () => {
  /**
   * The same table, whose Queries of trails show slots from before or after the head.
   * @param torn how many Queries
   */
  const tornTable = (torn: number, slots: 'newer' | 'older' = 'newer') => {
    let queries = 0;
    const table = tableAround(sound, async ({ command, input }, send) => {
      const answer = (await send()) as { output?: { Items?: Record<string, unknown>[] } };
      const { ':pk': pk } = (input['ExpressionAttributeValues'] ?? {}) as Record<string, unknown>;
      if (command !== 'Query' || !String(pk).includes('#TRAIL#')) return answer;
      queries += 1;
      if (queries > torn) return answer;
      for (const item of answer.output?.Items ?? []) {
        if (slots === 'newer' && item['sk'] === 'H') item['number'] = Number(item['number']) - 1;
        if (slots === 'older' && String(item['sk']).startsWith('SE#')) Object.assign(item, { n: 1, c: true });
      }
      return answer;
    });
    return { table, queries: () => queries };
  };
  const PATIENCE = { patienceMillis: 300 };

  it('is repeated until head and slots belong together', async () => {
    const acme = await newOrganization(api);
    await acme.attest('generic', { attestation_name: 'c' });
    const before = await acme.trail();
    const { flow } = await stored(acme);
    const { table, queries } = tornTable(2);
    api.services.table = table;
    try {
      expect(await acme.trail()).toEqual(before);
      expect(queries()).toBe(3);
    } finally {
      api.services.table = sound;
    }
    expect((await readTrailState(tornTable(2).table, acme.id, flow.id, testName('run')))?.state.number).toBe(2);
  });

  it('is repeated by a writer, who would otherwise store a verdict over old evidence', async () => {
    const acme = await newOrganization(api);
    await acme.attest('generic', { attestation_name: 'c', is_compliant: true });
    await acme.attest('generic', { attestation_name: 'c', is_compliant: false });
    api.services.table = tornTable(1, 'older').table;
    try {
      expect((await acme.attest('generic', { attestation_name: 'd', is_compliant: true })).status).toBe(201);
    } finally {
      api.services.table = sound;
    }
    const { head, state, moments } = await stored(acme);
    expect([head.word, state]).toEqual(['NON-COMPLIANT', stateAsOf(moments)]);
  });

  it('ends with 503 and Retry-After if they never belong together', async () => {
    const acme = await newOrganization(api);
    await acme.report(anArtifact('cli'));
    const { flow } = await stored(acme);
    const { table, queries } = tornTable(Number.POSITIVE_INFINITY);
    api.services.table = table;
    try {
      for (const path of [`/trails/${acme.org}/web/run`, `/asserts/${acme.org}/fingerprint/${fingerprintOf('cli')}`]) {
        const answer = await retrying(() => acme.get(path), PATIENCE);
        expect([answer.status, answer.json]).toEqual([503, { message: 'Service unavailable' }]);
        expect(answer.headers['retry-after']).toBe('1');
      }
      expect(queries()).toBeLessThan(100);
      const reading = retrying(() => readTrailState(table, acme.id, flow.id, testName('run')), PATIENCE);
      await expect(reading).rejects.toThrow(Contention);
    } finally {
      api.services.table = sound;
    }
  });
});

describe('a trail of five hundred attestations and fifty artifacts', () => {
  it('needs one Query below a megabyte for its verdict', async () => {
    const acme = await newOrganization(api);
    await fill(acme);
    const { flow } = await stored(acme);
    const count = newCount();
    const read = await counted(() => readTrailState(sound, acme.id, flow.id, testName('run')), count);
    expect(count.log.map(({ name }) => name)).toEqual(['DynamoDB.Query']);
    expect([read?.state.attestations.size, read?.state.artifacts.size]).toEqual([500, 50]);
    const { compliance_state: word, compliance_status: status, events } = await acme.trail();
    expect([word, events.length]).toEqual(['NON-COMPLIANT', 551]);
    const bad = Object.entries(status.artifacts_statuses).filter(([, entry]) => entry.status === 'NON-COMPLIANT');
    expect(bad.map(([name]) => name)).toEqual(['a27']);
    const answer = await acme.attest('generic', {
      attestation_name: 'check-77',
      artifact_fingerprint: fingerprintOf('a27'),
    });
    expect(answer.status).toBe(201);
    expect((await acme.trail()).compliance_state).toBe('COMPLIANT');
  });

  /** Writes like the endpoints, but with 40 moments per transaction. */
  async function fill(acme: EvidenceOfOrganization): Promise<void> {
    const { table, objects, clock } = api.services;
    const commit: Commit = {
      table,
      objects,
      clock,
      org: acme.id,
      author: { id: newId(clock.now()), name: 'ada' },
      loadTemplate: async () => EMPTY_TEMPLATE,
    };
    const reports = Array.from({ length: 50 }, (_, i): Draft => {
      const artifact = { fingerprint: fingerprintOf(`a${i}`), name: `a${i}`, commit: shaOf('c'), compliant: true };
      const changes: SlotChange[] = [{ kind: 'artifact', id: newId(clock.now()), ...artifact }];
      return { kind: 'artifact_creation_reported', changes, show: { filename: `a${i}` } };
    });
    const checks = Array.from({ length: 500 }, (_, i): Draft => {
      const scope = { kind: 'fingerprint' as const, fingerprint: fingerprintOf(`a${i % 50}`) };
      const check = { name: `check-${i}`, type: 'generic', compliant: i !== 77, overridden: null };
      const changes: SlotChange[] = [{ kind: 'attestation', scope, id: newId(clock.now()), ...check }];
      return { kind: 'artifact_attestation_reported', changes, show: { type: 'generic' } };
    });
    const drafts = [...reports, ...checks];
    for (let i = 0; i < drafts.length; i += 40) {
      const plan = { drafts: drafts.slice(i, i + 40) };
      expect(await commitToTrail(commit, { flow: testName('web'), trail: testName('run') }, async () => plan)).toBe(
        'done',
      );
    }
  }
});
