import { describe, expect, it } from 'vitest';
import { silenceText, silentSentence } from '#console/environment/model/silence.ts';
import { asOfSnapshot, policySilence, stateReasonText } from '#console/environment/model/state-reason.ts';

const SINCE = '2026-11-28T22:14:03Z';
const AT = Date.parse(SINCE) / 1000;
const SILENT = { state: null, state_reason: `No report since ${SINCE}` };
const OLD = { state: false, state_reason: `An attestation is older than a policy allows since ${SINCE}` };

describe('the reason why an environment has another verdict than its newest snapshot', () => {
  it('is said in words, with the verdict', () => {
    expect(stateReasonText(SILENT)).toBe('Unknown: no report since 28 Nov 2026, 22:14:03 UTC.');
    expect(stateReasonText(OLD)).toBe(
      'Not compliant: an attestation is older than a policy allows since 28 Nov 2026, 22:14:03 UTC.',
    );
    expect(stateReasonText({ state: true, state_reason: null })).toBe('');
  });

  it('makes the verdict of the snapshot a thing of the past', () => {
    expect(asOfSnapshot(SILENT, 'Compliant: all 2 running artifacts.')).toBe(
      'The snapshot was compliant: all 2 running artifacts.',
    );
    expect(asOfSnapshot(SILENT, 'Nothing runs here.')).toBe('Nothing runs here.');
    expect(asOfSnapshot({}, 'Compliant: all 2 running artifacts.')).toBe('Compliant: all 2 running artifacts.');
  });

  it('names the silent member of a group', () => {
    expect(policySilence(SILENT.state_reason)).toEqual({ member: null, since: AT });
    expect(policySilence(`No report of 'it's edge' since ${SINCE}`)).toEqual({ member: "it's edge", since: AT });
    expect(policySilence(OLD.state_reason)).toBeNull();
    expect(policySilence('No report since yesterday')).toBeNull();
    expect(policySilence(null)).toBeNull();
  });
});

describe('a row of an environment whose policy misses reports', () => {
  it('says for how long, also if nobody knows what is usual', () => {
    expect(silenceText(SILENT, AT + 26 * 3600)).toBe('no report for 26 h; a policy expects more');
    expect(silenceText({ state_reason: `No report of 'edge' since ${SINCE}` }, AT + 1200)).toBe(
      'no report from edge for 20 min; a policy expects more',
    );
    expect(silenceText(OLD, AT + 1200)).toBeNull();
    expect(silentSentence([{ ...SILENT, name: 'edge', type: 'server' }])).toBe(' edge is silent.');
  });
});
