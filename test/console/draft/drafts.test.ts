import { describe, expect, it } from 'vitest';
import { decisions } from '#console/draft/forms.ts';
import { agentName, draftListSentence, draftSentence, stateOfDraft } from '#console/draft/model/drafts.ts';
import type { Draft } from '#console/draft/operations.ts';

const NOW = 1_800_000_000;

const draft = (given: Partial<Draft> = {}): Draft => ({
  id: '01a22850-dc5e-1a34-9c33-765ffac5',
  kind: 'policy',
  subject: 'strict',
  drafted_by: 'ann',
  drafted_for: 'person',
  agent: 'helper',
  drafted_at: NOW - 60,
  expires_at: NOW + 3540,
  html_url: 'https://e.example/demo/drafts/01a22850-dc5e-1a34-9c33-765ffac5',
  state: 'open',
  request: { method: 'PUT', path: '/policies/demo', body: {} },
  changes: [],
  problem: null,
  ended_by: null,
  ended_at: null,
  made: null,
  ...given,
});

describe('the sentence of a draft', () => {
  it('says that nothing is written', () => {
    expect(draftSentence(draft(), NOW)).toBe(
      'An agent proposes a version of a policy. Nothing is written until you confirm it.',
    );
  });

  it('says why it cannot be confirmed', () => {
    expect(draftSentence(draft({ problem: 'strict has changed' }), NOW)).toBe(
      'It cannot be confirmed: strict has changed',
    );
  });

  it.each([
    ['confirmed', 'ann confirmed it: a version of a policy was written.'],
    ['discarded', 'ann discarded it, and nothing was written.'],
    ['expired', 'Nobody confirmed it within its hour, and nothing was written. Ask the agent for a new one.'],
  ] as const)('says that it was %s', (state, sentence) => {
    expect(draftSentence(draft({ state, ended_by: 'ann' }), NOW)).toBe(sentence);
  });
});

describe('an open draft', () => {
  it('expires while the page is open', () => {
    expect(stateOfDraft(draft(), NOW)).toBe('pending');
    expect(stateOfDraft(draft(), NOW + 3540)).toBe('expired');
    expect(decisions('demo', draft(), NOW + 3540)).toEqual([]);
  });

  it('can be confirmed and discarded, and only discarded if its record changed', () => {
    const [confirm, discard] = decisions('demo', draft(), NOW);
    expect([confirm?.button, confirm?.refusal, discard?.button]).toEqual(['Confirm', undefined, 'Discard']);
    const [refused, still] = decisions('demo', draft({ problem: 'It changed' }), NOW);
    expect([refused?.refusal, still?.refusal]).toEqual(['It changed', undefined]);
  });
});

it('an agent without a name is called so', () => {
  expect(agentName({ agent: null })).toBe('an agent without a name');
});

it('the list says how many writes are proposed', () => {
  expect(draftListSentence([])).toBe('No agent proposes anything now.');
  expect(draftListSentence([draft(), draft()])).toBe('Agents propose 2 writes. None of it is written yet.');
});
