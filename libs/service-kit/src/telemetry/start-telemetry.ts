import { createRequire } from 'node:module';

type Stop = () => Promise<void>;
const nothing: Stop = () => Promise.resolve();
const probes = /^\/(?:livez|readyz|metrics)(?:$|\?)/;

/**
 * Traces of HTTP requests and SQL statements over OTLP, when `OTEL_EXPORTER_OTLP_ENDPOINT` is set; the other standard
 * `OTEL_…` variables apply. Nothing is loaded otherwise. Statements are recorded without their values.
 */
export async function startTelemetry(environment: NodeJS.ProcessEnv = process.env): Promise<Stop> {
  if (!environment.OTEL_EXPORTER_OTLP_ENDPOINT) return nothing;
  const [{ NodeSDK }, { HttpInstrumentation }, { PgInstrumentation }] = await Promise.all([
    import('@opentelemetry/sdk-node'),
    import('@opentelemetry/instrumentation-http'),
    import('@opentelemetry/instrumentation-pg'),
  ]);
  const sdk = new NodeSDK({
    instrumentations: [
      new HttpInstrumentation({ ignoreIncomingRequestHook: ({ url = '' }) => probes.test(url) }),
      new PgInstrumentation({ requireParentSpan: true }),
    ],
  });
  sdk.start();
  // Instrumentations change a module when it is required; these were loaded before, as ES modules, and are changed in place.
  const require = createRequire(import.meta.url);
  for (const name of ['http', 'https', 'pg']) require(name);
  return () => sdk.shutdown().catch(() => undefined);
}
