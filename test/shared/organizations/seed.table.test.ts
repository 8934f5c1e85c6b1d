import { beforeAll, describe, expect, test } from 'vitest';
import { systemClock } from '#shared/base/time.ts';
import { hashKey } from '#shared/callers/credentials.ts';
import { Directory } from '#shared/organizations/records/directory.ts';
import { applySeed, readSeed, SeedError } from '#shared/organizations/seed.ts';
import type { Table } from '#shared/table/table.ts';
import { uniqueName } from '#test/support/directory.ts';
import { testTable } from '#test/support/table.ts';

let table: Table;
beforeAll(async () => {
  table = await testTable();
});
const load = (seed: unknown) => applySeed({ table, clock: systemClock() }, seed);

describe('a seed', () => {
  test('creates organizations, users and memberships, and keys for users without one', async () => {
    const [org, personal, ann, bob] = ['org', 'personal', 'ann', 'bob'].map(uniqueName) as [
      string,
      string,
      string,
      string,
    ];
    const seed = {
      organizations: [
        {
          name: org,
          features: ['controls'],
          members: [
            { user: ann, role: 'admin', api_key: `${ann}, with a comma` },
            { user: bob, role: 'reader' },
          ],
        },
        { name: personal, personal: true, members: [{ user: ann, role: 'admin' }] },
      ],
    };
    const { created, keys } = await load(seed);
    expect(created).toEqual([org, personal]);
    expect(keys).toEqual([{ user: bob, organizations: [org], key: expect.stringMatching(/^dek_/) }]);
    const directory = new Directory(table);
    expect(await directory.organization(org)).toMatchObject({ kind: 'shared', features: ['controls'] });
    expect(await directory.organization(personal)).toMatchObject({ kind: 'personal', features: [] });
    for (const key of [`${ann}, with a comma`, keys[0]?.key ?? '']) {
      expect(await directory.apiKey(hashKey(key))).toMatchObject({ revoked: false, expiresAt: 0 });
    }
  });

  test('changes nothing and makes no second key when it is loaded twice', async () => {
    const [org, ann, bob] = ['org', 'ann', 'bob'].map(uniqueName) as [string, string, string];
    const seed = {
      organizations: [
        {
          name: org,
          members: [
            { user: ann, role: 'admin', api_key: `key-${ann}` },
            { user: bob, role: 'member' },
          ],
        },
      ],
    };
    const [first] = [await load(seed)];
    const directory = new Directory(table);
    const state = async () => [
      await directory.organization(org),
      await directory.user(ann),
      await directory.user(bob),
      await directory.apiKey(hashKey(`key-${ann}`)),
    ];
    const before = await state();
    expect(first.keys).toHaveLength(1);
    expect(await load(seed)).toEqual({ created: [], keys: [] });
    expect(await state()).toEqual(before);
  });

  test('gives one user one key for several organizations', async () => {
    const [one, two, ann] = ['one', 'two', 'ann'].map(uniqueName) as [string, string, string];
    const member = { user: ann, role: 'member' };
    const { keys } = await load({
      organizations: [
        { name: one, members: [member] },
        { name: two, members: [member] },
      ],
    });
    expect(keys).toEqual([{ user: ann, organizations: [one, two], key: expect.any(String) }]);
  });

  test('is refused if it gives a key of one user to another user, and nothing is stored', async () => {
    const [org, ann, bob, later] = ['org', 'ann', 'bob', 'later'].map(uniqueName) as [string, string, string, string];
    const withKey = (name: string, user: string) => ({
      organizations: [{ name, members: [{ user, role: 'member', api_key: `shared-${ann}` }] }],
    });
    await load(withKey(org, ann));
    await expect(load(withKey(later, bob))).rejects.toThrow(`The key given for the user '${bob}' belongs to '${ann}'`);
    expect(await new Directory(table).organization(later)).toBeUndefined();
  });

  test('is refused if it makes a shared organization personal', async () => {
    const org = uniqueName('org');
    await load({ organizations: [{ name: org }] });
    await expect(load({ organizations: [{ name: org, personal: true }] })).rejects.toThrow(
      `The organization '${org}' exists and is not personal`,
    );
  });

  test('switches on the features that are off', async () => {
    const org = uniqueName('org');
    await load({ organizations: [{ name: org }] });
    await load({ organizations: [{ name: org, features: ['evaluations', 'controls'] }] });
    expect((await new Directory(table).organization(org))?.features).toEqual(['controls', 'evaluations']);
  });
});

describe('a text that is not a seed', () => {
  const problemsOf = (value: unknown): readonly string[] => {
    try {
      readSeed(typeof value === 'string' ? value : JSON.stringify(value));
    } catch (error) {
      if (error instanceof SeedError) return error.problems;
      throw error;
    }
    return [];
  };

  test.each([
    ['{', ['The seed is not JSON']],
    [[], ['seed: Input should be a valid dictionary [input: []]']],
    [{}, ['organizations: Field required [input: None]']],
    [
      { organizations: [{ name: 'a', members: [{ user: 'u', role: 'owner' }], colour: 1 }] },
      [
        "organizations[0].members[0].role: Input should be 'admin', 'member', 'snapshotter' or 'reader' [input: owner]",
        'organizations[0].colour: Extra inputs are not permitted [input: 1]',
      ],
    ],
    [
      { organizations: [{ name: 'api' }] },
      ['organizations[0].name: Name is reserved, because the service itself answers below this path [input: api]'],
    ],
    [{ organizations: [{ name: 'a' }, { name: 'a' }] }, ["The organization 'a' is there twice"]],
    [
      {
        organizations: [
          {
            name: 'a',
            members: [
              { user: 'u', role: 'admin' },
              { user: 'u', role: 'reader' },
            ],
          },
        ],
      },
      ["The user 'u' is a member of 'a' twice"],
    ],
    [
      {
        organizations: [
          {
            name: 'a',
            members: [
              { user: 'u', role: 'admin', api_key: 'k' },
              { user: 'v', role: 'reader', api_key: 'k' },
            ],
          },
        ],
      },
      ["The users 'u' and 'v' are given the same key"],
    ],
  ])('%j is refused with a sentence for each problem', (value, problems) => {
    expect(problemsOf(value)).toEqual(problems);
  });
});
