import * as z from 'zod';
import { stackName } from '#infra/names.ts';
import { ACCOUNT, type Emulator, REGION, ServiceError } from './emulator.ts';
import { PARTS, type Part, resourcesOf, type StageTemplates } from './templates.ts';

/** The rehearsed stage. */
export const STAGE = 'eu';

const nothing = z.unknown();

const Stacks = z.looseObject({
  Stacks: z.array(
    z.looseObject({
      StackStatus: z.string(),
      Outputs: z.array(z.looseObject({ OutputKey: z.string(), OutputValue: z.string() })).optional(),
    }),
  ),
});

const StackResources = z.looseObject({
  StackResources: z.array(
    z.looseObject({ LogicalResourceId: z.string(), PhysicalResourceId: z.string(), ResourceType: z.string() }),
  ),
});

/** A resource of a stack as CloudFormation lists it. */
export interface Deployed {
  part: Part;
  id: string;
  type: string;
  physical: string;
}

/** What `cdk bootstrap` and the upload of archives leave: a parameter, and a bucket with the archive of every function. */
export async function bootstrap(emulator: Emulator, all: readonly StageTemplates[]): Promise<void> {
  const bucket = `cdk-hnb659fds-assets-${ACCOUNT}-${REGION}`;
  await emulator.call(nothing, 'ssm', 'put_parameter', {
    Name: '/cdk-bootstrap/hnb659fds/version',
    Type: 'String',
    Value: '30',
  });
  await emulator.call(nothing, 's3', 'create_bucket', {
    Bucket: bucket,
    CreateBucketConfiguration: { LocationConstraint: REGION },
  });
  const archives = all.flatMap(resourcesOf).flatMap(({ Properties }) => {
    const code = z.object({ Code: z.object({ S3Key: z.string() }) }).safeParse(Properties);
    return code.success ? [code.data.Code.S3Key] : [];
  });
  for (const Key of new Set(archives)) {
    await emulator.call(nothing, 's3', 'put_object', { Bucket: bucket, Key, Body: 'No function runs in a rehearsal.' });
  }
}

/** Deploys stacks as `cdk deploy` does. @returns the stacks that changed */
export async function deploy(
  emulator: Emulator,
  templates: StageTemplates,
  parts: readonly Part[] = PARTS,
): Promise<Part[]> {
  const changed: Part[] = [];
  for (const part of parts) {
    if (await deployStack(emulator, part, JSON.stringify(templates[part]))) changed.push(part);
  }
  return changed;
}

async function deployStack(emulator: Emulator, part: Part, template: string): Promise<boolean> {
  const name = stackName(STAGE, part);
  // The template does not say it: the toolkit reads it beside the template, and sets it when it makes the stack.
  const isProtected = part === 'stateful';
  const exists = (await stackStatus(emulator, name)) !== undefined;
  try {
    await emulator.call(nothing, 'cloudformation', exists ? 'update_stack' : 'create_stack', {
      StackName: name,
      TemplateBody: template,
      Capabilities: ['CAPABILITY_NAMED_IAM'],
      ...(!exists && { EnableTerminationProtection: isProtected }),
    });
  } catch (error) {
    if (error instanceof ServiceError && error.message.includes('No updates are to be performed')) return false;
    throw error;
  }
  const status = await stackStatus(emulator, name);
  if (!status?.endsWith('_COMPLETE')) throw new Error(`The stack ${name} has the status ${status ?? 'of no stack'}`);
  return true;
}

async function stackStatus(emulator: Emulator, name: string): Promise<string | undefined> {
  try {
    const { Stacks: found } = await emulator.call(Stacks, 'cloudformation', 'describe_stacks', { StackName: name });
    return found[0]?.StackStatus;
  } catch (error) {
    if (error instanceof ServiceError && error.message.includes('does not exist')) return undefined;
    throw error;
  }
}

/** Deletes stacks as `cdk destroy` does: those that use others first. */
export async function destroy(emulator: Emulator, parts: readonly Part[]): Promise<void> {
  for (const part of PARTS.toReversed().filter((part) => parts.includes(part))) {
    const name = stackName(STAGE, part);
    await emulator.call(nothing, 'cloudformation', 'delete_stack', { StackName: name });
    const status = await stackStatus(emulator, name);
    if (status !== undefined) throw new Error(`The stack ${name} has the status ${status} after its deletion`);
  }
}

/** Lets a stack be deleted (docs/deploying.md#tear-down). */
export async function endProtection(emulator: Emulator, part: Part): Promise<void> {
  await emulator.call(nothing, 'cloudformation', 'update_termination_protection', {
    StackName: stackName(STAGE, part),
    EnableTerminationProtection: false,
  });
}

/** Lists the resources of all stacks of the stage. */
export async function deployedResources(emulator: Emulator): Promise<Deployed[]> {
  const lists = [];
  for (const part of PARTS) {
    const options = { StackName: stackName(STAGE, part) };
    const { StackResources: list } = await emulator.call(
      StackResources,
      'cloudformation',
      'describe_stack_resources',
      options,
    );
    lists.push(
      list.map((one) => ({
        part,
        id: one.LogicalResourceId,
        type: one.ResourceType,
        physical: one.PhysicalResourceId,
      })),
    );
  }
  return lists.flat();
}

/** Returns the outputs of a stack by name. */
export async function outputsOf(emulator: Emulator, part: Part): Promise<Map<string, string>> {
  const options = { StackName: stackName(STAGE, part) };
  const { Stacks: found } = await emulator.call(Stacks, 'cloudformation', 'describe_stacks', options);
  return new Map(found[0]?.Outputs?.map(({ OutputKey, OutputValue }) => [OutputKey, OutputValue]));
}
