import { describe, expect, it } from 'vitest';
import { glossaryWord, KIND_WORDS } from '#console/model/glossary-words.ts';
import { GLOSSARY } from '#shared/console/glossary.ts';

describe('glossaryWord', () => {
  it('leads only to words that the glossary has', () => {
    expect(KIND_WORDS.filter((word) => !Object.hasOwn(GLOSSARY, word))).toEqual([]);
  });

  it.each([
    ['Trail', 'trail'],
    ['Environment · K8S', 'environment'],
    ['Control RCTL-1', 'control'],
    ['Environment notification', 'action'],
    ['Flow action', 'action'],
    ['Compare', null],
    ['Who was told', null],
    ['constructor', null],
    ['__proto__', null],
  ])('leads from %s to %s', (kind, word) => {
    expect(glossaryWord(kind)).toBe(word);
  });
});
