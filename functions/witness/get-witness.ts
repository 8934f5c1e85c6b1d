import * as z from 'zod';
import { absolute, BASE_PATH } from '#shared/base/addresses.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { DESCRIBE_WITNESS, type DescribeServices, describeWitness } from '#shared/log/witness/read-witness.ts';

/** The description of a region's witness in answers (rules/log.md#description-of-a-witness). */
const WitnessOut = z
  .object({
    policy_line: z.string().meta({ description: 'The line of this witness in the policy of a log that asks it' }),
    logs_key: z.string().meta({
      description: 'The key of the logs of this region, as the witness of another region takes it in its settings',
    }),
    known_logs: z.array(z.string()).meta({ description: 'The keys of the logs that this witness cosigns' }),
  })
  .meta({ id: 'Witness' });

/** GET /witness: what the operators of two regions exchange (rules/log.md#description-of-a-witness). */
export const getWitness = endpoint({
  operation: 'getWitness',
  method: 'GET',
  path: '/witness',
  summary: 'Describe the witness of this region, and the key of its logs',
  access: 'public',
  success: { 200: WitnessOut },
  uses: DESCRIBE_WITNESS,
  handler: async ({ host }, services: DescribeServices) => {
    const described = await describeWitness(services, absolute(host, `${BASE_PATH}/witness`));
    return {
      status: 200,
      body: {
        policy_line: described.policyLine,
        logs_key: described.logsKey,
        known_logs: described.knownLogs,
      },
    };
  },
});
