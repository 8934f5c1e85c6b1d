import type * as z from 'zod';
import { functionName } from './names.ts';
import type { Stage } from './stages/settings.ts';
import { StageError } from './stages/stage-error.ts';

/** A deployed function, as the SDK calls it. */
export interface DeployedFunction {
  region: string;
  /** Its name; with the account, if the stage names one. */
  name: string;
}

/**
 * Returns a function of a stage. With the account, credentials of another account are refused instead of reaching a function of the
 * same name there.
 *
 * @param name folder below `functions/`
 * @param given the name in the account, if it is not the usual one
 */
export const functionOf = (
  { name: stage, region, account }: Stage,
  name: string,
  given: string = functionName(stage, name),
): DeployedFunction => ({ region, name: account === undefined ? given : `${account}:function:${given}` });

/**
 * Reads settings of a deployed function. The SDK is loaded here and not at the top of the file, because commands to the local stack
 * do not need it.
 *
 * @throws StageError if it lacks a setting
 */
export async function settingsOf<S extends z.ZodType>(
  { region, name }: DeployedFunction,
  schema: S,
): Promise<z.output<S>> {
  const { GetFunctionConfigurationCommand, LambdaClient } = await import('@aws-sdk/client-lambda');
  const lambda = new LambdaClient({ region });
  const { Environment } = await lambda.send(new GetFunctionConfigurationCommand({ FunctionName: name }));
  lambda.destroy();
  const { data, error } = schema.safeParse(Environment?.Variables ?? {});
  if (data !== undefined) return data;
  throw new StageError(`The function ${name} lacks settings of this release. Deploy the stage, then repeat`, error);
}
