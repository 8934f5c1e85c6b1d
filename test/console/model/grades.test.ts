import { describe, expect, it } from 'vitest';
import { sealOf, sealsOfSlot } from '#console/model/grades.ts';
import { STATES } from '#console/model/states.ts';
import { GRADES } from '#shared/evidence/rules/verification.ts';

describe('the seal of evidence', () => {
  it.each(GRADES)('is the grade %s, which has words of its own', (grade) => {
    expect(sealOf({ grade, error: null })).toBe(grade);
    expect(Object.values(STATES).filter(({ word }) => word === STATES[grade].word)).toHaveLength(1);
  });

  it('is good only for what a signature proved', () => {
    expect(GRADES.filter((grade) => STATES[grade].tone === 'good')).toEqual(['signed', 'logged']);
  });

  it('never looks verified when a bundle was refused', () => {
    for (const grade of GRADES) expect(sealOf({ grade, error: 'Wrong signature' })).toBe('not-verified');
    expect(STATES['not-verified'].tone).toBe('bad');
  });
});

describe('the seals of a slot', () => {
  it('are its grade, where somebody proved more than a key does', () => {
    expect(sealsOfSlot({})).toEqual([]);
    expect(sealsOfSlot({ origin: {} })).toEqual(['identified']);
    expect(sealsOfSlot({ proof: { grade: 'logged' } })).toEqual(['logged']);
    expect(sealsOfSlot({ proof: { grade: 'observed' } })).toEqual(['observed']);
  });

  it('say that a bundle was not verified, also if a pipeline with an identity sent it', () => {
    expect(sealsOfSlot({ proof: { grade: 'stated' }, origin: {} })).toEqual(['not-verified']);
  });

  it('say that newer evidence was recalled, also of a slot that is empty since', () => {
    expect(sealsOfSlot({ recalled: {} })).toEqual(['recalled']);
    expect(sealsOfSlot({ proof: { grade: 'signed' }, recalled: {} })).toEqual(['signed', 'recalled']);
  });
});
