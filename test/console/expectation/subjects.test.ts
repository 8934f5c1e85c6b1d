import { describe, expect, it } from 'vitest';
import { isAboutControl, placeOf, subjectName } from '#console/expectation/model/subjects.ts';

describe('the subjects of an expectation', () => {
  it('are named by their kind, and lead to the page of what they are', () => {
    const reports = { environment: 'edge' };
    expect([subjectName(reports), placeOf(reports)]).toEqual(['edge', { type: 'environment', environment: 'edge' }]);
    const artifact = { type: 'artifact' as const, environment: 'prod', fingerprint: 'f'.repeat(64), name: 'web:1' };
    expect(subjectName({ subject: artifact })).toBe('web:1 in prod');
    // An artifact leads to itself and not to the environment in which it runs.
    expect(placeOf({ subject: artifact })).toEqual(artifact);
    expect(subjectName({ subject: { type: 'trail', flow: 'api', trail: 'release-1' } })).toBe('api / release-1');
    expect(subjectName({ subject: { type: 'scope' } })).toBe('One flow of the scope');
  });
});

describe('an expectation about a control', () => {
  it('asks for decisions on it, by either kind, and is not archived', () => {
    const decision = { archived: false, control: 'RCTL-1' };
    expect(isAboutControl(decision, 'RCTL-1')).toBe(true);
    expect(isAboutControl(decision, 'RCTL-10')).toBe(false);
    expect(isAboutControl({ archived: false, evidence: { control: 'RCTL-1' } }, 'RCTL-1')).toBe(true);
    expect(isAboutControl({ archived: false, evidence: { name: 'RCTL-1' } }, 'RCTL-1')).toBe(false);
    expect(isAboutControl({ ...decision, archived: true }, 'RCTL-1')).toBe(false);
  });
});
