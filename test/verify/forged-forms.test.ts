import { describe, expect, it } from 'vitest';
import { detailsText, evaluationText } from '#shared/evaluations/rules/evaluation-text.ts';
import { Fault } from '#verify/fault.ts';
import { Covers } from '#verify/records/covers.ts';
import { verifyPresence } from '#verify/records/presence.ts';
import { Scope } from '#verify/scope.ts';
import { SignedSlots } from '#verify/signatures/signed-slots.ts';
import { edited, faultOf, MOMENTS, sample } from './edited-sample.ts';
import { asExport, seal } from './sample-export.ts';
import { type Files, org, salt } from './sample-log.ts';
import { environment, inline, pledge } from './sample-trails.ts';

/** Lines that no service wrote. Whatever they hold, the outcome is a fault that names the line. */

const FAR = 1e300;

const withLine = (family: string, line: object): Files =>
  new Map([...sample, [`data/records/${family}-0001.ndjson`, Buffer.from(`${JSON.stringify(line)}\n`)]]);

/** The sample with a gap of an expectation that fits, from an instant to another one. */
function withGap(from: number, until: number | null): Files {
  const terms = { kind: 'reports', every: 1, grace: 0, severity: 'warning', owner: null };
  const version = {
    ...{ item: 'version', v: 1, id: 'e', name: 'reports', version: 1, scope: { tags: [] }, ...terms },
    ...{ startsAt: 0, archived: false, createdAt: 0, createdBy: 'ann', changedAt: 0, changedBy: 'ann' },
  };
  const gap = {
    ...{ item: 'gap', v: 1, rev: 1, id: 'gap', expectation: { id: 'e', name: 'reports', version: 1 }, ...terms },
    ...{ subject: { type: 'scope' }, since: 0, state: 'open', from, until, ended: null, detectedAt: 0, changedAt: 0 },
    ...{ lastBefore: null, firstAfter: null, unknown: [], explanation: null },
  };
  return new Map([...withLine('expectations', version), ...withLine('gaps', gap)]);
}

/** The sample with an evaluation that came after the checkpoint, so that no entry says what is in it. */
function withResult(text: string): Files {
  const texts = { context: '{}', policy: 'allow', result: text };
  const body = (name: keyof typeof texts) => inline(name, texts[name]);
  const line = {
    ...{ item: 'evaluation', id: 'e', status: 'completed', requested: 1, recorded: 1, deadline: 1, ended: 1 },
    ...{ by: { id: 'u', name: 'ann', kind: 'user', keyId: null }, org, host: 'h', decision: null, decisionId: null },
    ...{ allow: true, error: null, proof: null, params: null, input: null },
    ...{ context: body('context'), policy: body('policy'), result: body('result') },
  };
  const details = detailsText(line as never);
  const commitments = {
    ...Object.fromEntries(Object.entries(texts).map(([name, one]) => [name, pledge(name, one)])),
    ...(details !== null && { details: pledge('details', details) }),
    evaluation: pledge('evaluation', evaluationText(line as never)),
  };
  const salts = { evaluation: salt('evaluation'), ...(details !== null && { details: salt('details') }) };
  return withLine('evaluations', { ...line, commitments, salts });
}

const NESTED = `{"item":"trail","x":${'['.repeat(20_000)}${']'.repeat(20_000)}}\n`;

describe('a forged line', () => {
  it.each<[string, () => Files, string]>([
    [
      'nests deeper than any record',
      () => edited(MOMENTS, () => NESTED),
      `${MOMENTS}: line 1: the line has JSON nested deeper than 500 levels`,
    ],
    [
      'has a gap from an instant that no date reaches',
      () => withGap(FAR, null),
      'data/records/gaps-0001.ndjson: line 1: the record has another form',
    ],
    [
      'has a gap from an instant before the epoch',
      () => withGap(-5, null),
      'data/records/gaps-0001.ndjson: line 1: the record has another form',
    ],
    [
      'has a gap until an instant that no date reaches',
      () => withGap(1, FAR),
      'line 1: the gap of expectation \'reports\' about scope "scope" from 1970-01-01T00:00:00.000Z to 1e+300 microseconds',
    ],
    [
      'has an evaluation whose result is no JSON',
      () => withResult('allow'),
      'data/records/evaluations-0001.ndjson: line 1: the result is not JSON',
    ],
    [
      'has an evaluation whose result has no verdict',
      () => withResult('{}'),
      'data/records/evaluations-0001.ndjson: line 1: the record has another form',
    ],
  ])('is a fault that names the line if it %s', async (_, files, fault) => {
    expect(await faultOf(seal(files()))).toContain(fault);
  });

  it('is a fault if its day of reports begins with an instant that no date reaches', async () => {
    const day = {
      ...{ item: 'day', environment, date: '2026-11-21', hours: Array.from({ length: 24 }, () => 0) },
      ...{ first: FAR, last: FAR, silence: null, before: 0 },
    };
    const state = { files: asExport(withLine('presence', day)), scope: new Scope(), covers: new Covers() };
    await expect(verifyPresence(state)).rejects.toThrow(Fault);
  });

  it('is a fault if what it says of a signature has another form', () => {
    expect(() => new SignedSlots().require('line 1', 'a1', { verification: { grade: 'best' } })).toThrow(Fault);
  });
});
