import java.util.HashMap;
import java.util.Map;

/** Arguments of the form --name value. */
final class Arguments {
    private final Map<String, String> values = new HashMap<>();

    Arguments(String[] args) {
        for (int i = 0; i + 1 < args.length; i += 2) {
            values.put(args[i].substring("--".length()), args[i + 1]);
        }
    }

    int number(String name, int otherwise) {
        return values.containsKey(name) ? Integer.parseInt(values.get(name)) : otherwise;
    }

    String text(String name, String otherwise) {
        return values.getOrDefault(name, otherwise);
    }
}
