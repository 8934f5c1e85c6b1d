import { describe, expect, it } from 'vitest';
import type { ReasonStep } from '#shared/base/reasons/steps.ts';
import { noticeReason } from '#shared/notifications/rules/notice-reason.ts';

const step = (kind: ReasonStep['step'], says: string, html_url = ''): ReasonStep => ({
  ...{ step: kind, name: 'unit', says, saw: null, html_url },
  compliant: false,
});
const PAGE = '/acme/flows/web/trails/run?attestation_id=';

describe('noticeReason', () => {
  it('is absent if nothing failed', () => {
    expect(noticeReason('app', [{ ...step('trail', 'run is compliant in web'), compliant: true }])).toBeUndefined();
  });

  it('names the attestation above the step that the sentence quotes', () => {
    const steps = [
      step('slot', '`other` of run is not compliant'),
      step('attestation', 'it failed', `${PAGE}other`),
      step('slot', '`unit` of run is not compliant'),
      step('attestation', 'it was decided', `${PAGE}one`),
      step('evaluation', 'C-1 denied: no review'),
    ];
    expect(noticeReason('app', steps)).toEqual({
      says: 'app fails unit: it failed (and 1 more reason)',
      attestation: 'other',
    });
    expect(noticeReason('app', steps.slice(2))).toEqual({ says: 'C-1 denied: no review', attestation: 'one' });
    expect(noticeReason('app', [step('slot', 'run lacks `x`'), ...steps.slice(0, 2)])).not.toHaveProperty(
      'attestation',
    );
  });

  it('is one line of at most 500 characters, with what follows behind it', () => {
    const reason = noticeReason('app', [step('evaluation', `first\r\nsecond\u2028${'x'.repeat(600)}`)], '; more');
    expect(reason?.says).toMatch(/^first second x+…; more$/);
    expect(reason?.says).toHaveLength(500 + '; more'.length);
  });
});
