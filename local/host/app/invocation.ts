import type { InvocationRequest, InvocationResponse } from '../rpc.ts';
import type { AppRegistry, CoreInvocationContext, CoreLog } from './coreModule.ts';

/**
 * Runs one invocation in the order of the Azure worker: arguments, preInvocation hooks (which may replace the inputs and
 * the function), the function, postInvocation hooks (which may replace its result or error), response.
 */
export async function runInvocation(
  registry: AppRegistry,
  appHookData: object,
  request: InvocationRequest,
  log: CoreLog,
): Promise<InvocationResponse> {
  const registered = registry.functions.get(request.functionId);
  const programmingModel = registry.programmingModel;
  if (registered === undefined || programmingModel === undefined) {
    throw new Error(`Function "${request.functionId}" is not registered.`);
  }
  const coreContext: CoreInvocationContext = {
    invocationId: request.invocationId,
    request,
    metadata: registered.metadata,
    log,
  };
  const model = programmingModel.getInvocationModel(coreContext);
  const { context, inputs } = await model.getArguments();

  const shared = { hookData: {}, appHookData, invocationContext: context };
  const before = { ...shared, functionCallback: registered.callback, inputs };
  coreContext.state = 'preInvocationHooks';
  await registry.runHooks('preInvocation', before);

  const after: { inputs: unknown[]; result: unknown; error: unknown } & typeof shared = {
    ...shared,
    inputs: before.inputs,
    result: null,
    error: null,
  };
  coreContext.state = 'invocation';
  try {
    after.result = await model.invokeFunction(context, before.inputs, before.functionCallback);
  } catch (thrown) {
    // A function may throw undefined or null, and has failed all the same.
    after.error = thrown ?? new Error('The function threw no value.');
  }
  coreContext.state = 'postInvocationHooks';
  await registry.runHooks('postInvocation', after);
  if (after.error !== null && after.error !== undefined) {
    throw after.error;
  }
  return model.getResponse(context, after.result);
}
