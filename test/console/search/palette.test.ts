import { describe, expect, it } from 'vitest';
import {
  accountChoices,
  foundChoices,
  knownChoices,
  peopleChoices,
  withoutDoubles,
} from '#console/search/model/palette.ts';
import { actionsFor, type Shown } from '#console/search/model/palette-actions.ts';
import type { Found } from '#console/search/operations.ts';

describe('choices of the palette', () => {
  it('are names that have the text in them, those that begin with it first', () => {
    const known = knownChoices('demo', 'PRO', ['approvals'], ['eu-prod', 'prod']);
    expect(known.map(({ label, hint }) => `${label} ${hint}`)).toEqual([
      'prod environment',
      'eu-prod environment',
      'approvals flow',
    ]);
    expect(knownChoices('demo', '', ['a'], [])).toEqual([]);
  });

  it('lead to the same place once', () => {
    const none = { items: [], more: false };
    const all = {
      artifacts: none,
      commits: none,
      commit_reports: none,
      trails: none,
      environments: none,
      policies: none,
      controls: none,
      repos: none,
    };
    const found = { ...all, flows: { items: [{ name: 'web' }], more: false } } as unknown as Found;
    const choices = [...knownChoices('demo', 'web', ['web'], []), ...foundChoices('demo', found)];
    expect(choices).toHaveLength(2);
    expect(withoutDoubles(choices)).toHaveLength(1);
  });

  it('are people whose names have the text in them', () => {
    const people = peopleChoices('demo', 'N', ['joan', 'nora', 'bob']);
    expect(people.map(({ label, to }) => [label, to])).toEqual([
      ['nora', { page: 'people', params: { org: 'demo' } }],
      ['joan', { page: 'people', params: { org: 'demo' } }],
    ]);
    expect(peopleChoices('demo', '', ['joan'])).toEqual([]);
  });

  it('are service accounts, each with its page', () => {
    expect(accountChoices('demo', 'CI', ['deploy', 'ci-main']).map(({ label, hint, to }) => [label, hint, to])).toEqual(
      [['ci-main', 'service account', { page: 'service-account', params: { org: 'demo', account: 'ci-main' } }]],
    );
    expect(accountChoices('demo', '', ['ci'])).toEqual([]);
  });
});

describe('actions of the palette', () => {
  const shown: Shown = {
    org: 'demo',
    mayMakeFlows: true,
    mayMakeTrusts: true,
    environment: 'prod',
    address: 'https://evidence.example/demo/environments/prod',
    call: '/api/v2/environments/demo/prod',
  };
  const labels = (text: string, more: Partial<Shown> = {}) =>
    actionsFor(text, { ...shown, ...more }).map(({ label }) => label);

  it('are found by all words of a text, in labels and other words for them', () => {
    expect(labels('copy')).toEqual(['Copy the address of this page', 'Copy the curl command of this page']);
    expect(labels('theme DARK')).toEqual(['Dark theme']);
    expect(labels('log out')).toEqual(['Sign out']);
    expect(labels('create flow')).toEqual(['New flow']);
    expect(labels('trust')).toEqual(['New trust']);
    expect(labels('xyz')).toEqual([]);
  });

  it('are those that the page and the role allow', () => {
    expect(labels('', { mayMakeFlows: false, call: null })).not.toContain('New flow');
    expect(labels('trust', { mayMakeTrusts: false })).toEqual([]);
    expect(labels('curl', { call: null })).toEqual([]);
    expect(labels('compare', { environment: null })).toEqual(['Compare snapshots']);
    expect(labels('compare', { org: undefined })).toEqual([]);
  });

  it('copy the address and a command that reads the page, and compare with the snapshot before', () => {
    const [address, curl] = actionsFor('copy', shown);
    expect(address?.to).toMatchObject({ act: { do: 'copy', text: shown.address } });
    expect(curl?.to).toMatchObject({
      act: { text: expect.stringContaining('https://evidence.example/api/v2/environments/demo/prod') },
    });
    expect(actionsFor('compare', shown)[0]?.to).toMatchObject({ search: { a: 'prod~1', b: 'prod' } });
  });
});
