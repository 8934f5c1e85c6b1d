import { describe, expect, it } from 'vitest';
import { runOperator } from '#functions/operator/run-operator.ts';
import { OPERATOR_USES } from '#functions/operator/uses.ts';
import { MOST_RUNNING, PACKAGE_PROBLEMS, PACKAGE_WAITS_FOR } from '#shared/exports/rules/sentences.ts';
import { sweepExports } from '#shared/exports/sweep-exports.ts';
import {
  api,
  exporter,
  made,
  packaged,
  released,
  type ShownPackage,
  shownPackage,
  startOf,
} from '#test/functions/exporter/packaged.ts';
import { describeAccess } from '#test/support/access.ts';
import { heldTo } from '#test/support/declared-uses.ts';
import { environmentsOfOrganization } from '#test/support/environments.ts';
import { fingerprintOf, newOrganization } from '#test/support/evidence.ts';
import { logEverything } from '#test/support/log/exports.ts';
import { recordingExports } from '#test/support/queue.ts';
import { relayOf } from '#test/support/relay.ts';

/** What rules/exports.md#cost-of-a-package says about the request. */
const MOST_CALLS = { calls: 14, trips: 11 };
const TRAIL = { type: 'trail', flow: 'web', trail: 'run' };
const idOf = ({ json }: { json: unknown }) => (json as ShownPackage).id;
const now = () => Math.floor(api.services.clock.now() / 1e6);

describe('POST /packages/{org}', () => {
  describeAccess(api, {
    method: 'POST',
    path: (org) => `/packages/${org}`,
    needs: 'reader',
    request: { json: TRAIL },
  });

  it('starts a package for a reader, and says what it is about and what it waits for', async () => {
    const acme = await released();
    const answer = await startOf(acme, TRAIL, { key: acme.keys.reader });
    expect([answer.status, answer.json]).toEqual([
      202,
      expect.objectContaining({
        state: 'running',
        scope: TRAIL,
        about: 'trail run of flow web',
        log: null,
        waits_for: { what: PACKAGE_WAITS_FOR, until: expect.any(Number) },
        filename: null,
        problem: null,
      }),
    ]);
    expect(answer.headers).toMatchObject({ 'x-resource-id': idOf(answer) });
  });

  it('answers the package about the same that runs already, also to requests at the same time', async () => {
    const acme = await released();
    const answers = await Promise.all([1, 2, 3].map(() => startOf(acme, TRAIL)));
    expect(new Set(answers.map(idOf)).size).toBe(1);
    const [first = ''] = answers.map(idOf);
    expect(idOf(await startOf(acme, { ...TRAIL, trail: 'other' }))).not.toBe(first);
    await made(acme, first);
    expect(idOf(await startOf(acme, TRAIL))).not.toBe(first);
  });

  it('repeats its answer for the same Idempotency-Key', async () => {
    const acme = await released();
    const headers = { 'idempotency-key': 'one' };
    const first = await startOf(acme, TRAIL, { headers });
    await made(acme, idOf(first));
    const second = await startOf(acme, TRAIL, { headers });
    expect([second.status, second.json]).toEqual([202, first.json]);
  });

  it.each([
    [{ ...TRAIL, flow: 'nowhere' }, "Trail with name 'run' does not exist"],
    [{ ...TRAIL, trail: 'nowhere' }, "Trail with name 'nowhere' does not exist"],
    [{ type: 'artifact', flow: 'nowhere', fingerprint: fingerprintOf('web') }, "Flow named 'nowhere' does not exist"],
    // It runs or ran somewhere, but no trail reported it.
    [{ type: 'artifact', flow: 'web', fingerprint: fingerprintOf('stranger') }, 'does not exist in flow'],
    [{ type: 'snapshot', environment: 'nowhere', index: 1 }, "'nowhere'"],
    [{ type: 'snapshot', environment: 'prod', index: 2 }, 'has no snapshot 2'],
    [{ type: 'evaluation', evaluation: 'x' }, 'valuation'],
    [{ type: 'period', environment: 'nowhere', start_ts: 0, end_ts: 1 }, "'nowhere'"],
  ])('answers 404 for a record that does not exist: %j', async (body, sentence) => {
    const acme = await released();
    const answer = await startOf(acme, body);
    expect([answer.status, (answer.json as { message: string }).message]).toEqual([
      404,
      expect.stringContaining(sentence),
    ]);
  });

  it.each([
    [{}, 'type'],
    [{ ...TRAIL, type: 'organization' }, 'type'],
    [{ type: 'trail', trail: 'run' }, 'flow'],
    [{ type: 'trail', flow: 'web' }, 'trail'],
    [{ type: 'artifact', fingerprint: fingerprintOf('web') }, 'flow'],
    [{ type: 'artifact', flow: 'web' }, 'fingerprint'],
    [{ type: 'artifact', flow: 'web', fingerprint: 'abc' }, 'fingerprint'],
    [{ type: 'snapshot', index: 1 }, 'environment'],
    [{ type: 'snapshot', environment: 'prod' }, 'index'],
    [{ type: 'snapshot', environment: 'prod', index: 0 }, 'index'],
    [{ type: 'snapshot', environment: 'prod', index: 1.5 }, 'index'],
    [{ type: 'evaluation' }, 'evaluation'],
    [{ type: 'evaluation', evaluation: 7 }, 'evaluation'],
    [{ type: 'period', start_ts: 0, end_ts: 1 }, 'environment'],
    [{ type: 'period', environment: 'prod', end_ts: 1 }, 'start_ts'],
    [{ type: 'period', environment: 'prod', start_ts: 0 }, 'end_ts'],
    [{ type: 'period', environment: 'prod', start_ts: -1, end_ts: 1 }, 'start_ts'],
    [{ type: 'period', environment: 'prod', start_ts: 0, end_ts: 'today' }, 'end_ts'],
    [{ type: 'period', environment: 'prod', start_ts: 2, end_ts: 1 }, 'start_ts'],
    [{ type: 'period', environment: 'prod', start_ts: 99_999_999_999, end_ts: 99_999_999_999 }, 'start_ts'],
  ])('refuses %j and names the field `%s`', async (body, field) => {
    const acme = await environmentsOfOrganization(api);
    const answer = await startOf(acme, body);
    expect([answer.status, answer.text]).toEqual([400, expect.stringContaining(field)]);
  });

  it('refuses a sixth package of a caller that would run, and lets others start theirs', async () => {
    const acme = await released();
    const period = (start_ts: number) => ({ type: 'period', environment: 'prod', start_ts, end_ts: start_ts + 1 });
    const started = [];
    for (let n = 0; n < MOST_RUNNING.ofCaller; n += 1) started.push(await startOf(acme, period(n)));
    expect(started.map(({ status }) => status)).toEqual(started.map(() => 202));
    const refused = await startOf(acme, period(9));
    expect([refused.status, refused.json]).toEqual([
      409,
      {
        message: 'You have 5 packages that are being made, the most there can be. Wait until one of them is done',
      },
    ]);
    // A second click starts nothing, so it is not refused.
    expect(idOf(await startOf(acme, period(0)))).toBe(idOf(started[0] ?? refused));
    expect((await startOf(acme, period(9), { key: acme.keys.reader })).status).toBe(202);
    await made(acme, idOf(started[0] ?? refused));
    expect((await startOf(acme, period(10))).status).toBe(202);
  });

  it('refuses more than twenty packages of an organization that would run', async () => {
    const acme = await released();
    const keys = [acme.keys.admin, acme.keys.member, acme.keys.reader, acme.keys.snapshotter];
    const answers = [];
    for (let n = 0; n <= MOST_RUNNING.ofOrganization; n += 1) {
      const period = { type: 'period', environment: 'prod', start_ts: n, end_ts: n + 1 };
      answers.push(
        await startOf(acme, period, { key: keys[Math.floor(n / MOST_RUNNING.ofCaller)] ?? acme.keys.admin }),
      );
    }
    expect(answers.filter(({ status }) => status === 202)).toHaveLength(MOST_RUNNING.ofOrganization);
    expect(answers.at(-1)?.json).toEqual({
      message:
        'The organization has 20 packages that are being made, the most there can be. Wait until one of them is done',
    });
  });

  it('asks for the feature of evaluations for a package of an evaluation, and for no other', async () => {
    const acme = await newOrganization(api, ['controls']);
    const evaluation = await acme.call('POST', `/packages/${acme.org}`, {
      json: { type: 'evaluation', evaluation: 'x' },
    });
    expect([evaluation.status, evaluation.json]).toEqual([403, { message: 'Forbidden' }]);
    await acme.begin({});
    expect((await acme.call('POST', `/packages/${acme.org}`, { json: TRAIL })).status).toBe(202);
  });

  it.each([
    ['trail', TRAIL, MOST_CALLS],
    ['artifact', { type: 'artifact', flow: 'web', fingerprint: fingerprintOf('web') }, MOST_CALLS],
    ['snapshot', { type: 'snapshot', environment: 'prod', index: 1 }, MOST_CALLS],
    ['period', { type: 'period', environment: 'prod', start_ts: 0, end_ts: 99_999_999_999 }, MOST_CALLS],
  ])('the start of a package of the type %s makes a bounded number of calls', async (_, body, most) => {
    const acme = await released();
    await logEverything(api.services, acme.id);
    expect((await startOf(acme, body)).status).toBe(202);
    const { aws_calls: calls, aws_sequential: trips } = api.entries.at(-1) as unknown as Record<string, number>;
    expect(calls).toBeLessThanOrEqual(most.calls);
    expect(trips).toBeLessThanOrEqual(most.trips);
  });

  it('makes the relay send one message, and the sweep another if the package stands still for a minute', async () => {
    const acme = await released();
    const relay = relayOf(api.services, acme.id);
    await relay.settle();
    const id = idOf(await startOf(acme, TRAIL));
    const { queue, take } = recordingExports();
    Object.assign(relay.services, { exports: queue });
    await relay.settle();
    expect(take()).toMatchObject([{ message: { org: acme.id, id, kind: 'package' }, group: acme.id }]);
    api.services.clock.advance(7 * 60_000_000);
    await sweepExports({ ...api.services, exports: queue });
    expect(take().filter(({ message }) => message.id === id)).toMatchObject([{ message: { kind: 'package' } }]);
  });
});

describe('GET /packages/{org}/{package_id}', () => {
  describeAccess(api, {
    method: 'GET',
    path: (org) => `/packages/${org}/00000000-0000-0000-0000-00000000`,
    needs: 'reader',
  });

  it('answers 404 for an unknown id, for other texts, for an export, and for a package of another organization', async () => {
    const [acme, other] = [await released(), await released()];
    const id = idOf(await startOf(other, TRAIL));
    for (const unknown of [id, 'LATEST', 'x']) {
      const answer = await acme.get(`/packages/${acme.org}/${unknown}`);
      expect([answer.status, answer.json]).toEqual([404, { message: 'Package not found' }]);
    }
  });

  it('gives readers an address that serves the archive in ranges, under its name', async () => {
    const acme = await released();
    const { done, tar } = await packaged(acme, TRAIL);
    const answer = await acme.call('GET', `/packages/${acme.org}/${done.id}`, { key: acme.keys.reader });
    expect((api.entries.at(-1) as unknown as Record<string, number>)['aws_calls']).toBeLessThanOrEqual(6);
    const { download_url: address, filename } = answer.json as ShownPackage;
    const part = await fetch(address, { headers: { range: 'bytes=100-199' } });
    expect([part.status, part.headers.get('content-disposition')]).toEqual([206, `attachment; filename="${filename}"`]);
    expect(Buffer.from(await part.arrayBuffer())).toEqual(tar.subarray(100, 200));
  });

  it('shows the problem of a package that cannot be made', async () => {
    const acme = await released();
    await acme.putEnvironment('empty');
    const scope = { type: 'period', environment: 'empty', start_ts: now() - 60, end_ts: now() };
    const { state, problem } = await made(acme, idOf(await startOf(acme, scope)));
    expect([state, problem]).toEqual(['failed', PACKAGE_PROBLEMS.empty]);
  });

  it('waits for the checkpoint that covers its records', async () => {
    const acme = await released();
    const id = idOf(await startOf(acme, TRAIL));
    expect(await exporter.work({ org: acme.id, id, kind: 'package' })).toBe(true);
    expect(await shownPackage(acme, id)).toMatchObject({ state: 'running', log: null });
    api.services.clock.advance(301_000_000);
    await logEverything(api.services, acme.id);
    expect(await made(acme, id)).toMatchObject({ state: 'done', log: { covers_start: true } });
  });

  it('is 410 after an erasure, and its address leads nowhere', async () => {
    const acme = await released();
    const { done } = await packaged(acme, TRAIL);
    const [{ attestation_id: attestation } = {}] = await acme.named('scan');
    api.services.clock.advance(120_000_000);
    const erased = await heldTo('operator', OPERATOR_USES, () =>
      runOperator(api.services, {
        command: 'erase-body',
        organization: acme.org,
        reason: 'a person asked',
        kind: 'attestation',
        id: attestation,
      }),
    );
    expect(erased).toMatchObject({ ok: true });
    const answer = await acme.get(`/packages/${acme.org}/${done.id}`);
    expect([answer.status, answer.text]).toEqual([410, expect.stringContaining('This package was erased at')]);
    expect((await fetch(done.download_url)).status).toBe(404);
  });

  it('is not on the list of exports, which administrators read', async () => {
    const acme = await newOrganization(api);
    expect((await acme.get(`/packages/${acme.org}`)).status).toBe(404);
  });
});
