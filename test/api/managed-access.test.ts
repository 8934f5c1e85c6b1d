import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { groups } from '#functions/groups.ts';
import type { Endpoint } from '#shared/http/endpoint.ts';
import type { Family } from '#shared/table/uses.ts';

/**
 * Which endpoints manage access (rules/organizations.md#managing-access). Every family of records that an endpoint changes is
 * classified here, so a new family fails until somebody decides, and a new writer of a family of access fails until it has the
 * field.
 */

type Meaning =
  /** The record says who may do what, or holds a secret that proves it. */
  | 'access'
  /** The record exists only between an issuer or a provider and this service. Endpoints without a caller write it. */
  | 'proof'
  /** A secret that signs webhooks, saved together with its action. */
  | 'signing secret'
  | 'no access';

const FAMILIES: Record<Family, Meaning> = {
  '@KEY': 'access',
  '@KEYS': 'access',
  // Features, and the rules that let people in.
  '@ORG': 'access',
  '@LETIN': 'access',
  ACCOUNT: 'access',
  MEMBER: 'access',
  // Who accepts an invitation becomes a member.
  INVITED: 'access',
  TRUST: 'access',
  '@TRUSTED': 'access',
  '@IDENTITY': 'proof',
  '@TOKEN': 'proof',
  ACTIONSECRET: 'signing secret',

  // A session has the rights of its key or of its person at each request, and ends with them. So starting one gives nobody more,
  // and every caller has to be able to end an own session.
  '@SESSION': 'no access',
  '@SESSIONS': 'no access',
  // The default organization of a user. By what a user is known is decided by `@IDENTITY`.
  '@USER': 'no access',
  // Says where to look for memberships, and which people of a sign-in rule joined. `MEMBER` and the rule give the access.
  '@MEMBEROF': 'no access',
  // What a user sees of invitations and rules. `INVITED` and the rule decide.
  '@OFFER': 'no access',
  ...Object.fromEntries(
    [
      ...[
        '@DUE',
        '@EVALUATING',
        '@EXPECTING',
        '@EXPORTING',
        '@NOTIFIED',
        '@PACKAGING',
        '@WITNESS',
        'ACTION',
        'ACTIONNAME',
        'ACTIONS',
        'ALLOWED',
      ],
      ...['ARTIFACT', 'ATTESTATION', 'AUDIT', 'BODY', 'CATALOGUE', 'CONTROL', 'CONTROLPOLICY', 'CONTROLTAG'],
      ...[
        'DECISION',
        'DELIVERIES',
        'DELIVERY',
        'DRAFT',
        'ENV',
        'ENVNAME',
        'EVALUATION',
        'EXPECTATION',
        'EXPORT',
        'FINGERPRINT',
        'FLOW',
      ],
      ...[
        'FLOWNAME',
        'FLOWTAG',
        'GAP',
        'ONGOING',
        'HEALTH',
        'MOMENT',
        'PACKAGE',
        'POLICY',
        'POLICYNAME',
        'PRESENCE',
        'REFUSED',
        'RELAYED',
        'REPO',
        'REPOID',
      ],
      ...['REPOTAG', 'SERIES', 'SHA', 'SNAPSHOT', 'STATEMENT', 'TRAIL', 'TYPE', 'UPLOAD'],
      // They say which signatures count, and give nobody access.
      ...['SIGNER', 'TRUSTROOT', 'RECALL', 'SIGNED'],
      'WATCH',
    ].map((family) => [family, 'no access']),
  ),
};

/** No key and no session calls these endpoints: the token of an issuer or of the provider says who calls. */
const WITHOUT_CALLER = ['exchangeToken', 'finishSignIn'];

/**
 * These endpoints save an action with its secret, or remove both. No answer contains the secret. A secret that a caller brings
 * forges nothing: receivers verify with the secret that an administrator gave them.
 */
const SAVES_OF_ACTIONS = [
  'putFlowAction',
  'deleteAction',
  'archiveEnvironment',
  'putEnvironmentNotification',
  'changeEnvironmentNotification',
  'deleteEnvironmentNotification',
];

/** Fields of answers with the name of a secret. */
const SECRET_FIELD = /(^|_)(secret|key|token|password|credential)s?$/;
/** Fields with such a name that hold no secret. */
const NO_SECRETS = [
  // Kind, id and end of the credential of the request.
  'getUser.credential',
  // Public keys, with which everybody verifies.
  ...['getLog.key', 'getLog.public_key', 'getLog.statement_keys', 'getLog.verifier_keys'],
  'getWitness.logs_key',
  ...['getTrustRoot', 'listTrustRoots', 'listTrustRootVersions', 'putTrustRoot', 'deleteTrustRoot'].map(
    (operation) => `${operation}.public_key`,
  ),
  // The digest of a public key.
  ...['getRecall', 'listRecalls', 'listRecallVersions', 'putRecall', 'deleteRecall'].map((one) => `${one}.key`),
];

const endpoints = groups.flatMap((group) => group.endpoints);
const changedFamilies = ({ uses = {} }: Endpoint): Family[] => [
  ...new Set([uses.writes, uses.batches, uses.removes].flatMap((families) => families ?? [])),
];
const named = (some: readonly Endpoint[]) => some.map(({ operation }) => operation).toSorted();

describe('managesAccess', () => {
  it('knows what each family of records means that an endpoint changes', () => {
    const changed = new Set(endpoints.flatMap(changedFamilies));
    expect([...changed].toSorted()).toEqual(Object.keys(FAMILIES).toSorted());
  });

  it('is set at every endpoint that changes a record of access', () => {
    const writers = endpoints.filter((endpoint) =>
      changedFamilies(endpoint).some((family) => FAMILIES[family] === 'access'),
    );
    const open = writers.filter(({ managesAccess }) => !managesAccess);
    expect(named(open)).toEqual(['exchangeToken']);
    expect(open.map(({ access }) => access)).toEqual(['public']);
  });

  it('is set at every endpoint that changes a signing secret and does not only save or remove its action', () => {
    const writers = endpoints.filter(
      (endpoint) => !endpoint.managesAccess && changedFamilies(endpoint).includes('ACTIONSECRET'),
    );
    expect(named(writers)).toEqual(SAVES_OF_ACTIONS.toSorted());
  });

  it('is missing at endpoints that record a proof, because they have no caller', () => {
    const writers = endpoints.filter((endpoint) =>
      changedFamilies(endpoint).some((family) => FAMILIES[family] === 'proof'),
    );
    expect(named(writers)).toEqual(WITHOUT_CALLER);
    expect(writers.map(({ access }) => access)).toEqual(['public', 'public']);
  });

  it('is set at every endpoint whose answer has a secret', () => {
    const found = endpoints
      .filter(({ managesAccess }) => !managesAccess)
      .flatMap(({ operation, success }) => secretFieldsOf(success).map((field) => `${operation}.${field}`));
    expect(found.toSorted()).toEqual(['exchangeToken.access_token', ...NO_SECRETS].toSorted());
  });
});

/** Returns the fields of answers that have the name of a secret, at any depth. */
const secretFieldsOf = (success: Endpoint['success']): string[] => {
  const schemas = Object.values(success).map((schema) =>
    z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }),
  );
  return [...new Set(fieldsOf(schemas))].filter((field) => SECRET_FIELD.test(field));
};

/** Returns the names of all fields that a JSON Schema describes. */
function fieldsOf(schema: unknown): string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  return Object.entries(schema).flatMap(([name, value]) => [
    ...(name === 'properties' ? Object.keys(value) : []),
    ...fieldsOf(value),
  ]);
}
