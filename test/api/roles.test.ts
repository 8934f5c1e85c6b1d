import { describe, expect, test } from 'vitest';
import { groups } from '#functions/groups.ts';
import type { Feature } from '#shared/callers/roles.ts';
import type { Endpoint } from '#shared/http/endpoint.ts';

interface Rule {
  /** Name of the operation (rules/organizations.md#roles). */
  operation: string;
  /** Matches the method and the path of its endpoints. */
  endpoints: RegExp;
  access: Endpoint['access'];
  feature?: Feature;
}

/** The matrix of roles. The first rule that matches an endpoint applies. An endpoint without a rule fails the test. */
const RULES: readonly Rule[] = [
  {
    operation: 'public',
    endpoints: /^GET (root:|\/version$|\/openapi\.json$|\/doc(\/|$))/,
    access: 'public',
  },
  // A witness identifies a log by the signature of its checkpoint.
  { operation: 'witness', endpoints: /^(GET|POST) \/witness/, access: 'public' },
  // The token says who calls.
  { operation: 'exchange of a token', endpoints: /^POST \/token\/\{org\}$/, access: 'public' },
  { operation: 'policy schema', endpoints: /^GET \/schemas\//, access: 'authenticated' },
  { operation: 'own keys', endpoints: /^[A-Z]+ \/user\/api-keys/, access: 'user' },
  // The tools check the role in the organization that they are asked about.
  { operation: 'messages of agents', endpoints: /^POST \/mcp$/, access: 'authenticated' },
  { operation: 'who calls', endpoints: /^GET \/user$/, access: 'authenticated' },
  { operation: 'sign in at the provider', endpoints: /^GET \/user\/sign-in/, access: 'public' },
  { operation: 'sessions, default organization', endpoints: /^[A-Z]+ \/user\//, access: 'authenticated' },

  // Only for admins: with the signing secret, anybody could forge webhooks; the audit log shows who did what.
  { operation: 'signing secret', endpoints: /^[A-Z]+ \/actions\/.*\/signing-secret/, access: 'admin' },
  { operation: 'audit log', endpoints: /^GET \/(receipts\/\{org\}\/)?audit\//, access: 'admin' },
  // Trusts say how a pipeline can be imitated.
  { operation: 'trusts', endpoints: /^[A-Z]+ \/trusts\//, access: 'admin' },
  // An export holds the audit log.
  { operation: 'exports', endpoints: /^[A-Z]+ \/exports\//, access: 'admin' },
  // A package holds what each reader may read one by one.
  { operation: 'packages of evidence', endpoints: /^[A-Z]+ \/packages\//, access: 'reader' },

  { operation: 'moments', endpoints: /^GET .*\/moments$/, access: 'reader', feature: 'evaluations' },
  {
    operation: 'read evaluations',
    endpoints: /^GET \/(receipts\/\{org\}\/)?evaluations\//,
    access: 'reader',
    feature: 'evaluations',
  },
  { operation: 'request an evaluation', endpoints: /^POST \/evaluations\//, access: 'member', feature: 'evaluations' },
  { operation: 'read controls', endpoints: /^GET \/controls\//, access: 'reader', feature: 'controls' },
  {
    operation: 'controls: create, update, archive, unarchive',
    endpoints: /^(POST|PUT) \/controls\//,
    access: 'admin',
    feature: 'controls',
  },
  {
    operation: 'tag controls',
    endpoints: /^PATCH \/tags\/\{org\}\/controls?\//,
    access: 'admin',
    feature: 'controls',
  },
  {
    operation: 'report decisions, for which the handler asks for the feature, and SBOMs',
    endpoints: /^POST \/attestations\/.*\/system$/,
    access: 'member',
  },

  { operation: 'read anything, assert, search, export', endpoints: /^GET /, access: 'reader' },

  { operation: 'flows: write; begin trails', endpoints: /^PUT \/(flows|trails)\//, access: 'member' },
  {
    operation: 'report artifacts, attestations',
    endpoints: /^POST \/(artifacts|attestations|bundles)\//,
    access: 'member',
  },
  { operation: 'allow-list', endpoints: /^[A-Z]+ \/allowlists\//, access: 'member' },
  { operation: 'presigned upload', endpoints: /^POST \/attachments\//, access: 'member' },
  { operation: 'custom types', endpoints: /^(POST|PUT) \/custom-attestation-types\//, access: 'member' },
  { operation: 'policies; try policies', endpoints: /^(PUT|POST) \/policies\//, access: 'member' },
  { operation: 'watches', endpoints: /^(PUT|DELETE) \/watches\//, access: 'member' },
  { operation: 'confirm and discard drafts', endpoints: /^(POST|DELETE) \/drafts\//, access: 'member' },
  { operation: 'expectations', endpoints: /^(PUT|POST) \/(expectations|gaps)\//, access: 'member' },
  {
    operation: 'trust roots, signers and recalls',
    endpoints: /^(PUT|DELETE) \/(trust-roots|signers|recalls)\//,
    access: 'admin',
  },
  { operation: 'try recalls, which stores nothing', endpoints: /^POST \/recalls\/.*\/impact$/, access: 'reader' },
  { operation: 'verify bundles, which stores nothing', endpoints: /^POST \/signers\/.*\/check$/, access: 'reader' },
  { operation: 'actions, test, redeliver, replay', endpoints: /^(PUT|POST|DELETE) \/actions\//, access: 'member' },
  {
    operation: 'environment notifications',
    endpoints: /^(PUT|DELETE) \/organizations\/\{org\}\/environments_notifications/,
    access: 'member',
  },
  { operation: 'environment PUT', endpoints: /^PUT \/environments\/\{org\}$/, access: 'snapshotter' },
  { operation: 'report environment', endpoints: /^PUT \/environments\/\{org\}\/.*\/report\//, access: 'snapshotter' },
  { operation: 'environments: change otherwise', endpoints: /^[A-Z]+ \/environments\//, access: 'member' },
  { operation: 'tags of flow, environment, repo', endpoints: /^PATCH \/tags\//, access: 'member' },
  // The handlers check ownership, after 404 (rules/organizations.md#managing-an-account).
  { operation: 'service accounts and their keys', endpoints: /^[A-Z]+ \/service-accounts\//, access: 'snapshotter' },
  { operation: 'own membership', endpoints: /^(PUT|DELETE) \/organizations\/\{org\}\/membership$/, access: 'user' },
  {
    operation: 'users, roles, beta switch',
    endpoints: /^(PUT|DELETE) \/organizations\/\{org\}\/(members\b|experimental_features|sign-in-rules)/,
    access: 'admin',
  },
];

const endpoints = groups.flatMap((group) => group.endpoints);
const nameOf = ({ method, path }: Endpoint) => `${method} ${path}`;

describe('the matrix of roles', () => {
  test.each(endpoints.map((endpoint) => [nameOf(endpoint), endpoint] as const))(
    'has the rule of %s',
    (name, endpoint) => {
      const rule = RULES.find((candidate) => candidate.endpoints.test(name));
      expect(rule, 'The matrix has no rule for this endpoint').toBeDefined();
      expect([endpoint.access, endpoint.feature], rule?.operation).toEqual([rule?.access, rule?.feature]);
    },
  );

  test('has no rule without an endpoint', () => {
    const used = new Set(endpoints.map((endpoint) => RULES.find((rule) => rule.endpoints.test(nameOf(endpoint)))));
    expect(RULES.filter((rule) => !used.has(rule)).map(({ operation }) => operation)).toEqual([]);
  });

  test('has exactly seven reads that only admins may do', () => {
    const secret = endpoints.filter(({ method, access }) => method === 'GET' && access === 'admin');
    expect(secret.map(nameOf).toSorted()).toEqual([
      'GET /actions/{org}/{action_number}/signing-secret',
      'GET /audit/{org}',
      'GET /exports/{org}',
      'GET /exports/{org}/{export_id}',
      'GET /receipts/{org}/audit/{entry_id}',
      'GET /trusts/{org}',
      'GET /trusts/{org}/{name}',
    ]);
  });
});
