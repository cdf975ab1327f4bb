import type { Application, Request } from 'express';

/** The parts of Express' router that tell which routes exist. */
interface Layer {
  readonly route?: { readonly methods: Readonly<Record<string, boolean>> };
  match(path: string): boolean;
}

/** The methods that some route has at the request's path, upper case; empty: no route is there at all. */
export function allowedMethods(application: Application, request: Request): readonly string[] {
  const layers = (application.router as unknown as { stack: readonly Layer[] }).stack;
  const methods = new Set<string>();
  for (const layer of layers) {
    if (!layer.route || !matches(layer, request.path)) continue;
    for (const [method, present] of Object.entries(layer.route.methods)) if (present) methods.add(method.toUpperCase());
  }
  if (methods.has('GET')) methods.add('HEAD');
  return [...methods].sort();
}

/** A path that cannot be decoded is no route. */
function matches(layer: Layer, path: string): boolean {
  try {
    return layer.match(path);
  } catch {
    return false;
  }
}
