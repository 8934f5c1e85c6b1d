import { area, choice, line, type Option, type Write, write } from '../parts/form/model/forms.ts';
import { isAtLeast, ROLES, type Role } from './model/access.ts';
import {
  type Account,
  createAccount,
  deleteAccount,
  type Member,
  putMember,
  removeMember,
  updateAccount,
} from './operations.ts';

/** Writes about people and service accounts (rules/organizations.md#members). */

const ROLE_TEXTS: Readonly<Record<string, string>> = {
  reader: 'reader: sees everything, changes nothing',
  snapshotter: 'snapshotter: reports what runs in environments',
  member: 'member: reports evidence and changes records',
  admin: 'admin: everything, also people and controls',
};
const optionOf = <R extends string>(role: R): Option<R> => [role, ROLE_TEXTS[role] ?? role];
const [lowest, ...higher] = ROLES;
/** The options up to a role; the lowest role is always one. */
const optionsUpTo = (role: string): [Option<Role>, ...Option<Role>[]] => [
  optionOf(lowest),
  ...higher.filter((one) => isAtLeast(role, one)).map(optionOf),
];
const ALL_ROLES = optionsUpTo('admin');

export const addPerson = (org: string, members: readonly Member[]): Write =>
  write({
    button: 'Invite a person',
    does: 'Invite a person',
    doing: 'invite people, change roles and remove people',
    about: 'The person gets access after accepting the invitation in the console. It ends after 30 days.',
    operation: putMember,
    fields: {
      user: line('Name of the user', {
        note: 'As the person sees it on the page of the own account. The service does not tell whether somebody has the name.',
      }),
      role: choice('Role', ALL_ROLES),
    },
    check: ({ user }): Record<string, string> =>
      members.some(({ name }) => name === user.trim())
        ? { user: `${user.trim()} is in the list already. Change the role there.` }
        : {},
    request: ({ user, role }) => ({ params: { org, user: user.trim() }, body: { role } }),
    done: 'The person is invited.',
  });

export const changeRole = (org: string, { name, role }: Member): Write =>
  write({
    button: 'Change role',
    does: `Change the role of ${name}`,
    sends: 'Change it',
    doing: 'change roles',
    operation: putMember,
    about: 'Within 30 seconds it holds everywhere.',
    fields: { role: choice('Role', ALL_ROLES, { initial: role }) },
    request: (values) => ({ params: { org, user: name }, body: { role: values.role } }),
    done: 'Changed.',
  });

export const removePerson = (org: string, { name }: Member): Write =>
  write({
    button: 'Remove',
    does: `Remove ${name} from ${org}`,
    doing: 'remove people',
    operation: removeMember,
    about: `${name} has no access to ${org} any more, also with keys that exist. What ${name} reported stays.`,
    isDanger: true,
    fields: {},
    request: () => ({ params: { org, user: name } }),
  });

export const withdrawInvitation = (org: string, { name }: Member): Write =>
  write({
    button: 'Withdraw',
    does: `Withdraw the invitation of ${name}`,
    doing: 'withdraw invitations',
    operation: removeMember,
    about: `${name} can be invited again.`,
    isDanger: true,
    fields: {},
    request: () => ({ params: { org, user: name } }),
  });

export const newAccount = (org: string, role: string): Write =>
  write({
    button: 'New service account',
    does: 'Create the service account',
    doing: 'create service accounts',
    operation: createAccount,
    about: 'A program uses it to report or to read. Issue a key on its page afterwards.',
    fields: {
      name: line('Name', { note: 'Letters, digits and - _ . ~, such as ci or prod-reporter. It cannot be changed.' }),
      privilege: choice('Acts as', optionsUpTo(role), { note: 'At most your own role.' }),
      description: area('Description', { isOptional: true }),
    },
    request: ({ name, privilege, description }) => ({
      params: { org },
      body: {
        name: name.trim(),
        privilege,
        ...(description !== '' && { description }),
      },
    }),
    opens: ({ name }) => ({ page: 'service-account', params: { org, account: name.trim() } }),
  });

/** Only admins change the privilege, and only admins and the creator change anything. */
export function accountWrites(org: string, account: Account, rights: { manages: boolean; role: string }): Write[] {
  const { name, privilege, description } = account;
  const params = { org, name };
  const refusal = rights.manages ? {} : { refusal: 'Only admins and who created it may change it or its keys.' };
  const about = area('Description', { isOptional: true, initial: description ?? '' });
  const own = {
    button: 'Edit',
    does: `Edit ${name}`,
    sends: 'Save',
    doing: 'edit the service account',
    operation: updateAccount,
    ...refusal,
  };
  return [
    rights.role === 'admin'
      ? write({
          ...own,
          fields: {
            description: about,
            privilege: choice('Acts as', ALL_ROLES, { initial: ROLES.find((one) => one === privilege) ?? lowest }),
          },
          request: (values) => ({
            params,
            body: { description: values.description || null, privilege: values.privilege },
          }),
        })
      : write({
          ...own,
          about: 'Only admins change what it acts as.',
          fields: { description: about },
          request: (values) => ({ params, body: { description: values.description || null } }),
        }),
    ...(rights.manages
      ? [
          write({
            button: 'Delete',
            isRare: true,
            does: `Delete ${name}`,
            doing: 'delete it',
            operation: deleteAccount,
            about:
              'All of its keys are revoked, so programs that use them are refused. What it reported stays. The name is free again.',
            isDanger: true,
            fields: {},
            request: () => ({ params }),
            opens: () => ({ page: 'people', params: { org } }),
          }),
        ]
      : []),
  ];
}
