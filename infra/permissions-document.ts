import { mayAs, ROLES } from '#shared/base/roles.ts';
import type { Endpoint, EndpointGroup } from '#shared/http/endpoint.ts';

const HEAD = `# Who may call what

Generated from the definitions of the endpoints by \`node infra/write-permissions-document.ts\`; a test says when it is
stale, another holds the definitions to the matrix of roles, a third tries every endpoint with every role.

Roles are the same for users and service accounts. A user's key carries the user's role in every organization; a service
account's key works in its own organization alone. *any key* asks for a credential and for no organization, *any user* for
that of a user; *nobody* is asked who they are. Checks come in this order: credential (401), organization (403), beta
feature (403), role (403), the request (400), what it is about (404).

Beyond the role:

- a service account, and its keys, are managed by admins and by whoever made the account; privileges are changed by
  admins alone, and nobody gives an account, or gets a key of one, that may do more than themselves;
- the last admin of an organization can be neither removed nor given another role.
`;

/** Returns the text of `docs/permissions.md`: who may call each endpoint, by group. */
export function permissionsDocument(groups: readonly EndpointGroup[]): string {
  const sections = groups.map(({ name, endpoints }) =>
    [
      ...['', `## ${name}`, ''],
      `| Method and path | ${ROLES.join(' | ')} | Beta feature |`,
      `|---|${ROLES.map(() => ':-:|').join('')}---|`,
      ...endpoints.map(rowOf),
    ].join('\n'),
  );
  return `${HEAD}${sections.join('\n')}\n`;
}

const rowOf = ({ method, path, access, feature }: Endpoint): string =>
  `| \`${method} ${path}\` | ${cellsOf(access).join(' | ')} | ${feature ?? ''} |`;

function cellsOf(access: Endpoint['access']): string[] {
  if (access === 'public') return ROLES.map(() => 'nobody');
  if (access === 'authenticated') return ROLES.map(() => 'any key');
  if (access === 'user') return ROLES.map(() => 'any user');
  return ROLES.map((role) => (mayAs(role, access) ? '✓' : ''));
}
