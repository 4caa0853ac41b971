import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.apache.paimon.PagedList;
import org.apache.paimon.catalog.CatalogContext;
import org.apache.paimon.catalog.Database;
import org.apache.paimon.catalog.Identifier;
import org.apache.paimon.catalog.PropertyChange;
import org.apache.paimon.options.Options;
import org.apache.paimon.predicate.Predicate;
import org.apache.paimon.predicate.PredicateBuilder;
import org.apache.paimon.rest.RESTApi;
import org.apache.paimon.rest.RESTCatalog;
import org.apache.paimon.schema.Schema;
import org.apache.paimon.schema.SchemaChange;
import org.apache.paimon.shade.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.paimon.table.FormatTable;
import org.apache.paimon.table.Table;
import org.apache.paimon.types.DataField;
import org.apache.paimon.types.DataTypeJsonParser;
import org.apache.paimon.types.RowType;
import org.apache.paimon.utils.TypeUtils;

/**
 * Asks a REST catalog server through Apache Paimon's own client.
 *
 * <p>One call a line on standard input, one answer a line on standard output, both JSON. The first call must be
 * {@code open}. Values that the protocol carries as JSON are passed as that JSON. The calls {@code change},
 * {@code filter} and {@code equality} ask nobody: they give the text that the client would send.
 */
public final class PaimonRest {
    private static RESTCatalog catalog;

    public static void main(String[] arguments) throws IOException {
        PrintStream answers = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        // Libraries that print must not disturb the answers.
        System.setOut(System.err);
        BufferedReader requests = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = requests.readLine(); line != null; line = requests.readLine()) {
            answers.println(RESTApi.toJson(answer(line)));
        }
    }

    private static Map<String, Object> answer(String line) {
        Map<String, Object> answer = new LinkedHashMap<>();
        try {
            answer.put("result", call(RESTApi.fromJson(line, JsonNode.class)));
        } catch (Throwable failure) {
            StringWriter trace = new StringWriter();
            failure.printStackTrace(new PrintWriter(trace));
            answer.put("error", String.valueOf(failure));
            answer.put("trace", trace.toString());
        }
        return answer;
    }

    private static Object call(JsonNode call) throws Exception {
        String database = text(call, "database");
        Identifier table = call.has("table") ? Identifier.create(database, text(call, "table")) : null;
        Integer most = call.hasNonNull("maxResults") ? call.get("maxResults").asInt() : null;
        String token = text(call, "pageToken");
        String pattern = text(call, "pattern");
        boolean ignore = call.path("ignore").asBoolean();
        switch (call.get("action").asText()) {
            case "open":
                catalog = new RESTCatalog(CatalogContext.create(Options.fromMap(map(call.get("options")))));
                Map<String, String> options = new LinkedHashMap<>(catalog.options());
                options.remove("token");
                return options;
            case "listDatabases":
                return catalog.listDatabases();
            case "listDatabasesPaged":
                return page(catalog.listDatabasesPaged(most, token, pattern), name -> name);
            case "createDatabase":
                catalog.createDatabase(database, ignore, map(call.get("options")));
                return null;
            case "getDatabase":
                return describe(catalog.getDatabase(database));
            case "alterDatabase":
                catalog.alterDatabase(database, properties(call), ignore);
                return null;
            case "dropDatabase":
                catalog.dropDatabase(database, ignore, call.path("cascade").asBoolean());
                return null;
            case "listTables":
                return catalog.listTables(database);
            case "listTablesPaged":
                return page(
                        catalog.listTablesPaged(database, most, token, pattern, text(call, "type")), name -> name);
            case "listTableDetailsPaged":
                return page(
                        catalog.listTableDetailsPaged(database, most, token, pattern, text(call, "type")),
                        PaimonRest::describe);
            case "listTablesPagedGlobally":
                return page(
                        catalog.listTablesPagedGlobally(text(call, "databasePattern"), pattern, most, token),
                        Identifier::getFullName);
            case "createTable":
                catalog.createTable(table, RESTApi.fromJson(call.get("schema").toString(), Schema.class), ignore);
                return null;
            case "getTable":
                return describe(catalog.getTable(table));
            case "getTableById":
                return describe(catalog.getTableById(text(call, "id")));
            case "alterTable":
                catalog.alterTable(table, changes(call), ignore);
                return null;
            case "renameTable":
                catalog.renameTable(table, Identifier.create(database, text(call, "newName")), ignore);
                return null;
            case "dropTable":
                catalog.dropTable(table, ignore);
                return null;
            case "listPartitions":
                return catalog.listPartitions(table);
            case "listPartitionsPaged":
                return page(catalog.listPartitionsPaged(table, most, token, pattern), partition -> partition);
            case "listPartitionsByNames":
                return catalog.listPartitionsByNames(table, specs(call));
            case "markDonePartitions":
                catalog.markDonePartitions(table, specs(call));
                return null;
            case "loadSnapshot":
                return catalog.loadSnapshot(table).isPresent();
            case "listViews":
                return catalog.listViews(database);
            case "listFunctions":
                return catalog.listFunctions(database);
            case "getView":
                return catalog.getView(table).name();
            case "getFunction":
                return catalog.getFunction(table).name();
            case "change":
                return RESTApi.toJson(RESTApi.fromJson(call.get("change").toString(), SchemaChange.class));
            case "equality":
                List<DataField> fields = new ArrayList<>();
                call.get("fields").forEach(field -> fields.add(DataTypeJsonParser.parseDataField(field)));
                RowType row = new RowType(fields);
                int at = call.get("index").asInt();
                Object literal = TypeUtils.castFromString(text(call, "value"), row.getTypeAt(at));
                return RESTApi.toJson(new PredicateBuilder(row).equal(at, literal));
            case "filter":
                return RESTApi.toJson(RESTApi.fromJson(text(call, "filter"), Predicate.class));
            default:
                throw new IllegalArgumentException(call.toString());
        }
    }

    private static String text(JsonNode call, String field) {
        return call.hasNonNull(field) ? call.get(field).asText() : null;
    }

    private static Map<String, String> map(JsonNode object) {
        Map<String, String> result = new LinkedHashMap<>();
        object.fields().forEachRemaining(entry -> result.put(entry.getKey(), entry.getValue().asText()));
        return result;
    }

    private static List<Map<String, String>> specs(JsonNode call) {
        List<Map<String, String>> result = new ArrayList<>();
        call.get("specs").forEach(spec -> result.add(map(spec)));
        return result;
    }

    private static List<SchemaChange> changes(JsonNode call) throws IOException {
        List<SchemaChange> result = new ArrayList<>();
        for (JsonNode change : call.get("changes")) {
            result.add(RESTApi.fromJson(change.toString(), SchemaChange.class));
        }
        return result;
    }

    private static List<PropertyChange> properties(JsonNode call) {
        List<PropertyChange> result = new ArrayList<>();
        map(call.get("set")).forEach((key, value) -> result.add(PropertyChange.setProperty(key, value)));
        call.get("remove").forEach(key -> result.add(PropertyChange.removeProperty(key.asText())));
        return result;
    }

    private static <T> Map<String, Object> page(PagedList<T> page, Function<T, Object> describe) {
        List<Object> elements = new ArrayList<>();
        page.getElements().forEach(element -> elements.add(describe.apply(element)));
        Map<String, Object> result = new LinkedHashMap<>();
        result.put("elements", elements);
        result.put("nextPageToken", page.getNextPageToken());
        return result;
    }

    private static Object describe(Database database) {
        Map<String, Object> result = new LinkedHashMap<>();
        result.put("name", database.name());
        result.put("options", database.options());
        result.put("comment", database.comment().orElse(null));
        return result;
    }

    private static Object describe(Table table) {
        Map<String, Object> result = new LinkedHashMap<>();
        result.put("name", table.fullName());
        result.put("isFormatTable", table instanceof FormatTable);
        result.put("location", table instanceof FormatTable ? ((FormatTable) table).location() : null);
        result.put("fields", table.rowType().getFields());
        result.put("partitionKeys", table.partitionKeys());
        result.put("options", table.options());
        result.put("comment", table.comment().orElse(null));
        return result;
    }
}
