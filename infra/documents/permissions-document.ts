import { mayAs, ROLES } from '#shared/callers/roles.ts';
import type { Endpoint, EndpointGroup } from '#shared/http/endpoint.ts';

const HEAD = `# Who may call what

This page is generated from the definitions of the endpoints by \`npx node infra/write-permissions-document.ts\`. One test
fails if the page is out of date, one compares the definitions with the table of roles, and one calls every endpoint with
every role.

Users and service accounts have the same roles. A user's key has the user's role in every organization of the user. A service
account's key works in its own organization only. Endpoints with *any key* need a credential but no organization. Endpoints
with *any user* need the credential of a user. Endpoints with *public* need no credential. The service checks a request in this
order: credential (401), organization (403), beta feature (403), role (403), the request itself (400), the things that the
request names (404).

Besides the role, these rules apply:

- Admins and the creator of a service account manage the account and its keys. Only admins change its privilege. Nobody can
  give an account more rights than they have, or get a key of such an account.
- Endpoints that *manage access* refuse keys that were exchanged for a token, and people whose role comes from a sign-in rule
  ([managing access](rules/organizations.md#managing-access)).
- Endpoints with *open with* a feature answer everybody, without a key, if the organization has this feature.
- The last admin of an organization cannot be removed and cannot get another role.
`;

/** Returns the text of `docs/permissions.md`: who may call each endpoint, by group. */
export function permissionsDocument(groups: readonly EndpointGroup[]): string {
  const sections = groups.map(({ name, endpoints }) =>
    [
      ...['', `## ${name}`, ''],
      `| Method and path | ${ROLES.join(' | ')} | Feature | Manages access |`,
      `|---|${ROLES.map(() => ':-:|').join('')}---|:-:|`,
      ...endpoints.map(rowOf),
    ].join('\n'),
  );
  return `${HEAD}${sections.join('\n')}\n`;
}

function rowOf({ method, path, access, feature, openWith, managesAccess }: Endpoint): string {
  const opens = feature ?? (openWith ? `open with ${openWith}` : '');
  return `| ${[`\`${method} ${path}\``, ...cellsOf(access), opens, managesAccess ? '✓' : ''].join(' | ')} |`;
}

function cellsOf(access: Endpoint['access']): string[] {
  if (access === 'public') return ROLES.map(() => 'public');
  if (access === 'authenticated') return ROLES.map(() => 'any key');
  if (access === 'user') return ROLES.map(() => 'any user');
  return ROLES.map((role) => (mayAs(role, access) ? '✓' : ''));
}
