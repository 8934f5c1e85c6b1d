import { describe, expect, it } from 'vitest';
import { groups } from '#functions/groups.ts';
import { planEvaluation } from '#shared/evaluations/erase-evaluation.ts';
import { processEvaluation } from '#shared/evaluations/process-evaluation.ts';
import { evaluationEntry } from '#shared/evaluations/records/evaluation-entry.ts';
import { readEvaluation, readEvaluations } from '#shared/evaluations/records/evaluations.ts';
import { lineText, provedLine } from '#shared/exports/record-lines.ts';
import { anEvaluation } from '#test/functions/evaluations/evaluations-api.ts';
import { testApi } from '#test/support/api.ts';
import { environmentsOfOrganization } from '#test/support/environments.ts';
import { Chains } from '#verify/chains.ts';
import { verifyEvaluations } from '#verify/records/evaluations.ts';
import { ProofState } from '#verify/records/proof-state.ts';
import { asExport } from './sample-export.ts';
import type { Files } from './sample-log.ts';

const api = await testApi(groups.filter(({ name }) => name !== 'meta' && name !== 'reference'));
const { services } = api;

describe('an erased evaluation', () => {
  it('stands as erased if an entry of the audit log names each text, and is refused otherwise', async () => {
    const acme = await environmentsOfOrganization(api);
    await acme.putFlow('web');
    await acme.begin({ name: 'run' });
    const json = anEvaluation({ params: { a: 1 } });
    const asked = await acme.call('POST', `/evaluations/${acme.org}`, { json, key: acme.keys.member });
    const { id } = asked.json as { id: string };
    await processEvaluation(services, acme.id, id);
    const record = await readEvaluation(services.table, acme.id, id);
    if (!record) throw new Error('There is no such evaluation');
    const plan = planEvaluation(acme.id, record, { at: services.clock.now(), reason: 'a secret' });
    expect(await services.table.transact(plan.writes)).toBe('done');
    const [erased] = await readEvaluations(services.table, acme.id, [id]);
    const entry = erased && evaluationEntry(acme.id, erased);
    if (!entry) throw new Error('The evaluation has no entry');
    const line = lineText(provedLine({ file: 'evaluations', record: { item: 'evaluation', ...erased } }, 0));
    expect(line).not.toContain('"text":"{\\"a\\":1}"');
    const lines: Files = new Map([['data/records/evaluations-0001.ndjson', Buffer.from(line)]]);
    const chains = new Chains({ origin: `${acme.id}.test`, size: 1 });
    chains.add('log', 0, entry);
    const verify = async (removed: typeof plan.removed, isLogged: boolean) => {
      const state = new ProofState(asExport(lines), chains, 1);
      state.removals.add(removed ?? {}, isLogged);
      await verifyEvaluations(state);
      state.finish();
      return state.scope.rows();
    };
    expect(await verify(plan.removed, true)).toMatchObject([{ name: 'evaluations/evaluation', erased: 1, proved: 0 }]);
    expect(await verify(plan.removed, false)).toMatchObject([{ erased: 0, later: 1 }]);
    const [[hash = '', names = []] = []] = Object.entries(plan.removed ?? {});
    expect(names).toEqual(['input', 'params', 'result']);
    for (const name of names) {
      const others = { [hash]: names.filter((one) => one !== name) };
      await expect(verify(others, true)).rejects.toThrow(`the text under '${name}' is gone`);
    }
  });
});
