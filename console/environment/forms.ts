import type { Fingerprint } from '#shared/base/ids.ts';
import { area, choice, line, names, ticks, type Write, write } from '../parts/form/model/forms.ts';
import { environmentNames, physicalNames, policyNames } from '../parts/form/suggestions.ts';
import { tagsForm } from '../parts/tags/forms.ts';
import {
  allowArtifact,
  archiveEnvironment,
  attachPolicies,
  detachPolicies,
  type Environment,
  isLogical,
  patchEnvironment,
  putEnvironment,
  renameEnvironment,
} from './operations.ts';

/** Writes about environments (rules/environments.md#create-or-update). */

const TYPES = [
  ['K8S', 'K8S: a Kubernetes cluster or namespace'],
  ['ECS', 'ECS: a cluster of a container service'],
  ['docker', 'docker: containers of one machine'],
  ['server', 'server: files and folders of a machine'],
  ['S3', 'S3: a bucket'],
  ['lambda', 'lambda: serverless functions'],
  ['azure-apps', 'azure-apps: web and function apps'],
  ['cloud-run', 'cloud-run: container services and jobs'],
  ['logical', 'logical: a group of other environments'],
] as const;

export const newEnvironment = (org: string): Write =>
  write({
    button: 'New environment',
    does: 'Create the environment',
    doing: 'create environments',
    operation: putEnvironment,
    fields: {
      name: line('Name', { note: 'Letters, digits and - _ . such as prod or eu-prod.' }),
      type: choice('Type', TYPES, { note: 'It never changes.' }),
      description: area('Description', { isOptional: true }),
      policies: names('Policies', {
        isOptional: true,
        suggest: policyNames(org),
        note: 'What runs is judged by them.',
      }),
      included_environments: names('Members', {
        isOptional: true,
        suggest: physicalNames(org),
        note: 'Only for the type logical: environments that it shows together.',
      }),
    },
    request: ({ name, type, description, policies, included_environments: members }) => ({
      params: { org },
      body: {
        name: name.trim(),
        type,
        ...(description !== '' && { description }),
        ...(policies.length > 0 && { policies: [...policies] }),
        ...(members.length > 0 && { included_environments: [...members] }),
      },
    }),
    opens: ({ name }) => ({ page: 'environment', params: { org, env: name.trim() } }),
  });

/** What the page of settings offers. */
export function settingsWrites(org: string, environment: Environment): Write[] {
  const { name, description, tags, included_environments: members } = environment;
  const params = { org, env_name: name };
  const about = area('Description', { isOptional: true, initial: description });
  const own = {
    button: 'Edit',
    does: `Edit ${name}`,
    sends: 'Save',
    doing: 'edit the settings',
    operation: patchEnvironment,
  };
  return [
    isLogical(environment)
      ? write({
          ...own,
          fields: {
            description: about,
            included_environments: names('Members', {
              isOptional: true,
              initial: members ?? [],
              suggest: physicalNames(org),
            }),
          },
          request: (values) => ({
            params,
            body: { description: values.description, included_environments: [...values.included_environments] },
          }),
        })
      : write({
          ...own,
          fields: { description: about },
          request: (values) => ({ params, body: { description: values.description } }),
        }),
    tagsForm(org, { type: 'environment', name, tags }),
    write({
      button: 'Rename',
      isRare: true,
      does: `Rename ${name}`,
      doing: 'rename it',
      operation: renameEnvironment,
      about: 'The old name still leads here, for reports and for links.',
      fields: { new_name: line('New name', { initial: name }) },
      request: (values) => ({ params, body: { new_name: values.new_name.trim() } }),
      opens: (values) => ({ page: 'environment-settings', params: { org, env: values.new_name.trim() } }),
    }),
    write({
      button: 'Archive',
      isRare: true,
      does: `Archive ${name}`,
      doing: 'archive it',
      operation: archiveEnvironment,
      about:
        'Reports to it are refused from then on, and it leaves the lists and every notification. Its history is kept. There is no way back, but its name is free again.',
      isDanger: true,
      fields: {},
      request: () => ({ params }),
      opens: () => ({ page: 'environments', params: { org } }),
    }),
  ];
}

export const allowForm = (org: string, env: string): Write =>
  write({
    button: 'Allow an artifact',
    does: `Allow an artifact in ${env}`,
    sends: 'Allow it',
    doing: 'allow artifacts',
    operation: allowArtifact,
    about: 'It counts as compliant in this environment, whatever the policies say. An entry cannot be taken back.',
    fields: {
      artifact_fingerprint: line('Fingerprint', {
        note: 'SHA-256 of the artifact: 64 digits and letters from a to f.',
      }),
      artifact_name: line('Name', { note: 'As it runs, such as nginx:1.29.' }),
      description: area('Reason', { note: 'Audits read it. Who allowed it and when is noted anyway.' }),
    },
    request: ({ artifact_fingerprint: fingerprint, artifact_name: name, description }) => ({
      params: { org, env_name: env },
      body: {
        // What was typed may be no fingerprint. The service says so, and its sentence stands at the field.
        artifact_fingerprint: fingerprint.trim().replace(/^sha256:/, '') as Fingerprint,
        artifact_name: name.trim(),
        description: description.trim(),
      },
    }),
    done: 'The artifact is allowed.',
  });

/** Attaches policies to an environment, and detaches them. */
export function policyWrites(org: string, { name, policies }: Pick<Environment, 'name' | 'policies'>): Write[] {
  const params = { org, env_name: name };
  return [
    write({
      button: 'Attach policies',
      does: `Attach policies to ${name}`,
      sends: 'Attach',
      doing: 'attach policies',
      operation: attachPolicies,
      about: 'What runs now is judged by them at once.',
      fields: { policy_names: names('Policies', { suggest: policyNames(org) }) },
      request: (values) => ({ params, body: { policy_names: [...values.policy_names] } }),
      done: 'Attached.',
    }),
    ...(policies.length === 0
      ? []
      : [
          write({
            button: 'Detach policies',
            does: `Detach policies from ${name}`,
            sends: 'Detach',
            doing: 'detach them',
            operation: detachPolicies,
            about: 'What runs now is judged again at once, without them.',
            isDanger: true,
            fields: {
              policy_names: ticks(
                'Policies',
                policies.map((policy) => [policy, policy]),
              ),
            },
            request: (values) => ({ params, body: { policy_names: [...values.policy_names] } }),
            done: 'Detached.',
          }),
        ]),
  ];
}

/** The API attaches policies to one environment at a time. */
export const attachOne = (org: string, policy: string): Write =>
  write({
    button: 'Attach to an environment',
    does: `Attach ${policy} to an environment`,
    sends: 'Attach',
    doing: 'attach policies',
    operation: attachPolicies,
    about: 'What runs there now is judged by it at once.',
    fields: { env: names('Environment', { suggest: environmentNames(org) }) },
    check: ({ env }): Record<string, string> =>
      env.length > 1 ? { env: 'Name one environment. Attach it to the others afterwards.' } : {},
    request: ({ env }) => ({ params: { org, env_name: env[0] ?? '' }, body: { policy_names: [policy] } }),
    done: 'Attached.',
  });
