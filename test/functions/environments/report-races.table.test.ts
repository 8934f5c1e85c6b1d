import { AsyncLocalStorage } from 'node:async_hooks';
import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { describe, expect, it } from 'vitest';
import { inParallel } from '#shared/base/parallel.ts';
import { runningRows } from '#shared/environments/next-content.ts';
import { artifactKey } from '#shared/environments/rules/running.ts';
import type { Table } from '#shared/table/table.ts';
import {
  type EnvironmentsOfOrganization,
  environmentsApi,
  environmentsOfOrganization,
  onServer,
} from '#test/support/environments.ts';
import { anArtifact, fingerprintOf, refusal } from '#test/support/evidence.ts';
import { policyText } from '#test/support/policies.ts';
import { firstBrokenSnapshot } from '#test/support/snapshot-chain.ts';
import { tableAround } from '#test/support/table/faults.ts';

const api = await environmentsApi();
const sound = api.services.table;

async function acmeWith(): Promise<EnvironmentsOfOrganization> {
  const acme = await environmentsOfOrganization(api);
  await acme.putEnvironment('prod');
  return acme;
}

/** Runs requests on a table whose calls are intercepted. */
async function onTable<T>(table: Table, work: () => Promise<T>): Promise<T> {
  api.services.table = table;
  try {
    return await work();
  } finally {
    api.services.table = sound;
  }
}

/**
 * Checks the whole history: numbers without gaps, an intact chain, events reserved one after another, and every
 * snapshot's annotations true to what ran in the one before.
 * @returns what ran in each snapshot, by name
 */
async function checkHistory(acme: EnvironmentsOfOrganization): Promise<string[][]> {
  const { id, index, hash, events } = await acme.head('prod');
  const snapshots = await acme.snapshots('prod');
  expect(snapshots.map((snapshot) => snapshot.index)).toEqual(Array.from({ length: index }, (_, i) => i + 1));
  expect(firstBrokenSnapshot(acme.id, id, snapshots)).toBeNull();
  expect(Buffer.from(snapshots.at(-1)?.hash ?? '')).toEqual(Buffer.from(hash));
  let before = new Map<string, number>();
  let reserved = 0;
  const ran: string[][] = [];
  for (const [i, snapshot] of snapshots.entries()) {
    expect(snapshot.eventsBefore).toBe(reserved);
    expect(snapshot.at).toBeGreaterThan(snapshots[i - 1]?.at ?? 0);
    reserved += snapshot.events;
    const content = await acme.content('prod', snapshot.index);
    const running = runningRows(content);
    const exited = content.rows.filter((row) => !running.includes(row));
    for (const row of running) expect(row.annotation.was).toBe(before.get(artifactKey(row)) ?? 0);
    const now = new Map(running.map((row) => [artifactKey(row), row.started.length]));
    expect(exited.map(artifactKey).sort()).toEqual([...before.keys()].filter((key) => !now.has(key)).sort());
    expect(content.rows.filter(({ annotation }) => annotation.type !== 'unchanged')).toHaveLength(snapshot.events);
    before = now;
    ran.push(running.map(({ name }) => name).sort());
  }
  expect(reserved).toBe(events);
  return ran;
}

describe('two reports at once', () => {
  it('two reports at once of different artifacts make two snapshots, one after the other, fifty times', async () => {
    const acme = await acmeWith();
    for (let round = 0; round < 50; round += 1) {
      const answers = await Promise.all(
        ['a', 'b'].map((name) => acme.run('prod', onServer({ [name]: `${name}${round}`, base: 'base' }))),
      );
      expect(answers.map(({ status }) => status)).toEqual([201, 201]);
    }
    const ran = await checkHistory(acme);
    expect(ran).toHaveLength(100);
    const [one, other] = [['a', 'base'].join(), ['b', 'base'].join()];
    const names = ran.map((row) => row.join());
    for (let i = 0; i < 100; i += 2) expect([names[i], names[i + 1]].sort()).toEqual([one, other]);
  });

  it('two reports at once of the same artifacts make one', async () => {
    const acme = await acmeWith();
    for (let round = 0; round < 20; round += 1) {
      const body = onServer({ web: `web${round}` });
      const answers = await Promise.all([1, 2, 3].map(() => acme.run('prod', body)));
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 201]);
      expect((await acme.head('prod')).index).toBe(round + 1);
    }
    await checkHistory(acme);
  });
});

describe('a report whose transaction succeeded without an answer', () => {
  it('is recognised by the retry and answered as stored', async () => {
    const acme = await acmeWith();
    const deaf = tableAround(sound, async ({ command, input, before }, send) => {
      const answer = await send();
      if (command !== 'TransactWrite' || before > 0) return answer;
      const items = input['TransactItems'] as unknown[];
      throw new TransactionCanceledException({
        message: 'Injected',
        $metadata: {},
        CancellationReasons: items.map(() => ({ Code: 'TransactionConflict' })),
      });
    });
    const answer = await onTable(deaf, () => acme.run('prod', onServer({ web: 'web' })));
    expect(refusal(answer)).toEqual([201, 'OK']);
    expect((await acme.head('prod')).index).toBe(1);
  });
});

describe('an environment that is archived while it is reported to', () => {
  it('stores neither a snapshot nor the time of the report', async () => {
    for (const name of ['web', 'other']) {
      const acme = await acmeWith();
      await acme.run('prod', onServer({ web: 'web' }));
      const aside = new AsyncLocalStorage<true>();
      const archiving = tableAround(sound, async ({ command, before }, send) => {
        const writes = command === 'TransactWrite' || command === 'Update';
        if (!aside.getStore() && writes && before === 0) {
          await aside.run(true, () => acme.call('PUT', `/environments/${acme.org}/prod/archive`));
        }
        return send();
      });
      const { status, json } = await onTable(archiving, () => acme.run('prod', onServer({ [name]: name })));
      expect([status, (json as { message: string }).message]).toEqual([
        404,
        `Environment named 'prod' has been archived for organization '${acme.org}'`,
      ]);
    }
  });
});

describe('decisions that are written while a report of many artifacts is evaluated', () => {
  it('count in this report if they are written before decisions are read, and in the next one if after', async () => {
    const acme = await acmeWith();
    await acme.call('POST', `/controls/${acme.org}`, { json: { identifier: 'SC-1', name: 'Source' } });
    await acme.putPolicy('p', policyText('attestations:', '  - {type: decision, for_control: SC-1}'));
    await acme.attach('prod', 'p');
    const names = Array.from({ length: 33 }, (_, i) => `web${i}`);
    await inParallel(names, 4, (name) => acme.report(anArtifact(name)));
    const decide = (name: string | undefined, is_compliant: boolean) =>
      acme.attest('system', {
        ...{ attestation_name: 'gate', type_name: 'decision', control: 'SC-1', attestation_data: { is_compliant } },
        ...(name !== undefined && { artifact_fingerprint: fingerprintOf(name) }),
      });

    const aside = new AsyncLocalStorage<true>();
    /** Reports, with a decision on the trail before and decisions on two artifacts after the decisions were read. */
    const deciding = tableAround(sound, async ({ command, input }, send) => {
      const isRead = command === 'ExecuteStatement' && JSON.stringify(input).includes('#DECISION#');
      if (aside.getStore() || !isRead) return send();
      await aside.run(true, () => decide(undefined, true));
      const read = await send();
      await aside.run(true, () => Promise.all([decide('web0', false), decide('web1', false)]));
      await acme.raiseMark('prod');
      return read;
    });
    const body = onServer(Object.fromEntries(names.map((name) => [name, name])));
    expect((await onTable(deciding, () => acme.run('prod', body))).status).toBe(201);
    const verdicts = async () => (await acme.content('prod')).rows.map(({ compliant }) => compliant);
    expect(await verdicts()).toEqual(names.map(() => true));
    expect((await acme.run('prod', body)).status).toBe(201);
    expect((await verdicts()).filter((compliant) => !compliant)).toHaveLength(2);
    expect([(await acme.row('prod', 'web0')).compliant, (await acme.row('prod', 'web2')).compliant]).toEqual([
      false,
      true,
    ]);
  });
});

describe('evidence that comes while a report is evaluated', () => {
  const attested = (acme: EnvironmentsOfOrganization, is_compliant: boolean) =>
    acme.attest('generic', { attestation_name: 'scan', artifact_fingerprint: fingerprintOf('web'), is_compliant });

  it('counts after the next report, for any time of the evidence and its mark, and costs nothing afterwards', async () => {
    const acme = await acmeWith();
    await acme.putPolicy('p', policyText('attestations:', '  - {type: generic, name: scan}'));
    await acme.attach('prod', 'p');
    await acme.report(anArtifact('web'));
    await acme.run('prod', onServer({ web: 'web' }));

    const aside = new AsyncLocalStorage<true>();
    /** Sends a report, and does each of the steps before the call of that number; those beyond the end afterwards. */
    async function report(body: unknown, steps: { at: number; step: () => Promise<unknown> }[]): Promise<number> {
      let calls = 0;
      const left = [...steps];
      const due = async (call: number) => {
        while ((left[0]?.at ?? Number.POSITIVE_INFINITY) <= call) {
          const next = left.shift();
          await aside.run(true, async () => next?.step());
        }
      };
      const stepping = tableAround(sound, async (_, send) => {
        if (aside.getStore()) return send();
        const call = calls;
        calls += 1;
        await due(call);
        return send();
      });
      const { status } = await onTable(stepping, () => acme.run('prod', body));
      expect([200, 201]).toContain(status);
      await due(Number.MAX_SAFE_INTEGER);
      return calls;
    }

    const usual = await report(onServer({ web: 'web', first: 'first' }), []);
    expect(usual).toBeGreaterThan(5);
    let compliant = true;
    let round = 0;
    for (let evidence = 0; evidence <= usual; evidence += 1) {
      for (let mark = evidence; mark <= usual; mark += 1) {
        // The report under test is a changed one every time.
        const body = onServer({ web: 'web', other: `other${round}` });
        round += 1;
        await report(body, [
          { at: evidence, step: () => attested(acme, compliant) },
          { at: mark, step: () => acme.raiseMark('prod') },
        ]);
        await acme.run('prod', body);
        expect([evidence, mark, (await acme.row('prod', 'web')).compliant]).toEqual([evidence, mark, compliant]);
        const { mark: marked, evaluatedMark } = await acme.head('prod');
        expect(evaluatedMark).toBe(marked);
        const before = await acme.head('prod');
        await acme.run('prod', body);
        expect(await acme.head('prod')).toEqual(before);
        compliant = !compliant;
      }
    }
    expect(round).toBeGreaterThan(20);
    await checkHistory(acme);
  });
});
