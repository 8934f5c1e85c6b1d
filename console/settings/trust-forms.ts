import type { Keyless } from '../connect/model/ci-systems.ts';
import { area, choice, line, type Option, type Write, write } from '../parts/form/model/forms.ts';
import type { Account } from '../people/operations.ts';
import { claimsProblem, claimsText, readClaims } from './claims.ts';
import { deleteTrust, putTrust, type Trust } from './operations.ts';

/** Writes about trusts (rules/identities.md#trusts). The service refuses claims that name no pipeline, and says which. */

const PRESETS = [
  ['github', 'GitHub Actions'],
  ['gitlab', 'GitLab'],
  ['buildkite', 'Buildkite'],
  ['circleci', 'CircleCI'],
  ['azure-devops', 'Azure DevOps'],
  ['any', 'another issuer with OpenID Connect'],
] as const;

/** The name of a CI system as people write it. */
export const presetLabel = (preset: string): string => PRESETS.find(([one]) => one === preset)?.[1] ?? preset;

const DOING = 'say which pipelines are trusted';
const NAME = line('Name of the trust', { note: 'Letters, digits and - _ ., such as release. It cannot be changed.' });

/** Service accounts that a trust may name: pipelines never act as an administrator. */
const accountField = (accounts: readonly Account[], initial?: string) => {
  const names = accounts.filter(({ privilege }) => privilege !== 'admin').map(({ name }) => name);
  const options = names.map((name): Option => [name, name]);
  const none: Option = ['', 'There is none: create one first'];
  const [first = none, ...others] = options;
  return choice('Acts as the service account', [first, ...others], {
    note: 'It has to be member to report evidence, snapshotter to report what runs.',
    ...(initial !== undefined && names.includes(initial) && { initial }),
  });
};

const claimKey = (claim: string): string => `claims.${claim}`;

/** The trust of a CI system, with a field for each claim that names a pipeline. */
export function connectTrust(
  org: string,
  { label, keyless }: { label: string; keyless: Keyless },
  { accounts, host }: { accounts: readonly Account[]; host: string },
): Write {
  const { preset, issuer, audience = host, claims, trap } = keyless;
  const asked = claims.map(({ claim, label: name, initial, note }): readonly [string, ReturnType<typeof line>] => [
    claimKey(claim),
    line(name, { initial, ...(note !== undefined && { note }), isOptional: initial !== '' }),
  ]);
  return write({
    button: `Trust ${label}`,
    does: `Trust jobs of ${label}`,
    doing: DOING,
    operation: putTrust,
    about: `Jobs whose tokens have these values act as the service account. ${trap}`,
    fields: {
      name: NAME,
      service_account: accountField(accounts),
      ...(issuer !== undefined && {
        issuer: line('Issuer', { initial: issuer, note: 'Put in the id of your organization.' }),
      }),
      ...Object.fromEntries(asked),
    },
    errorPlace: (error) => {
      const key = asked.some(([name]) => name === error) ? error : asked[0]?.[0];
      return error.startsWith('claims') && key !== undefined ? { field: key } : undefined;
    },
    request: (values) => {
      // Each field is a line or a choice, so its value is a text.
      const given = values as Readonly<Record<string, string>>;
      const bound = claims.map(({ claim }) => [claim, (given[claimKey(claim)] ?? '').trim()] as const);
      return {
        params: { org, name: (given['name'] ?? '').trim() },
        body: {
          service_account: given['service_account'] ?? '',
          preset,
          audience,
          ...(issuer !== undefined && { issuer: (given['issuer'] ?? '').trim() }),
          claims: Object.fromEntries(bound.filter(([, pattern]) => pattern !== '')),
        },
      };
    },
    done: 'Trusted. Its warnings, if any, stand in the table at the end.',
  });
}

/** Creates a trust, or changes one. Every field of a trust can be given. */
export function trustForm(org: string, accounts: readonly Account[], before?: Trust): Write {
  const fields = {
    service_account: accountField(accounts, before?.service_account),
    preset: choice('CI system', PRESETS, {
      // The list shows presets of this release only.
      initial: PRESETS.find(([one]) => one === before?.preset)?.[0] ?? 'github',
    }),
    issuer: line('Issuer', {
      isOptional: true,
      initial: before?.issuer ?? '',
      note: 'The claim «iss» of the tokens. Empty for the public issuer of GitHub, GitLab and Buildkite.',
    }),
    audience: line('Audience', {
      initial: before?.audience ?? location.origin,
      note: 'The claim «aud» of the tokens.',
    }),
    claims: area('Claims', {
      initial: claimsText(before?.claims ?? {}),
      note: 'One per line: claim = pattern, such as repository = acme/web. «*» stands for any characters but /. Several lines with the same claim: one of them has to match.',
    }),
    minutes: line('Minutes that a key works', { initial: String(before?.minutes ?? 15), note: 'From 1 to 60.' }),
    description: area('Description', { isOptional: true, initial: before?.description ?? '' }),
  };
  const common = {
    doing: DOING,
    operation: putTrust,
    check: ({ claims }: { claims: string }): Record<string, string> => {
      const problem = claimsProblem(claims);
      return problem === undefined ? {} : { claims: problem };
    },
  };
  const bodyOf = (values: { readonly [N in keyof typeof fields]: (typeof fields)[N]['initial'] }) => ({
    service_account: values.service_account,
    preset: values.preset,
    audience: values.audience.trim(),
    ...(values.issuer.trim() !== '' && { issuer: values.issuer.trim() }),
    claims: readClaims(values.claims),
    minutes: Number(values.minutes),
    ...(values.description !== '' && { description: values.description }),
  });
  if (before) {
    const { name } = before;
    return write({
      ...common,
      button: 'Change',
      does: `Change the trust ${name}`,
      sends: 'Save',
      about:
        'A change of issuer, audience, claims or service account ends the keys that were exchanged before, within 30 seconds.',
      fields,
      request: (values) => ({ params: { org, name }, body: bodyOf(values) }),
    });
  }
  return write({
    ...common,
    button: 'New trust',
    does: 'Trust pipelines',
    fields: { name: NAME, ...fields },
    request: ({ name, ...values }) => ({ params: { org, name: name.trim() }, body: bodyOf(values) }),
    done: 'Trusted. Its warnings, if any, stand in the table.',
  });
}

export const removeTrust = (org: string, { name }: Trust): Write =>
  write({
    button: 'Delete',
    does: `Delete the trust ${name}`,
    doing: DOING,
    operation: deleteTrust,
    about: 'Its keys end everywhere within 30 seconds, also in jobs that run now.',
    isDanger: true,
    fields: {},
    request: () => ({ params: { org, name } }),
    done: 'Deleted.',
  });
