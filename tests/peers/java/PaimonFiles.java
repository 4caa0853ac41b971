import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.paimon.data.BinaryString;
import org.apache.paimon.data.Decimal;
import org.apache.paimon.data.GenericArray;
import org.apache.paimon.data.GenericMap;
import org.apache.paimon.data.GenericRow;
import org.apache.paimon.data.InternalArray;
import org.apache.paimon.data.InternalMap;
import org.apache.paimon.data.InternalRow;
import org.apache.paimon.data.Timestamp;
import org.apache.paimon.format.FileFormat;
import org.apache.paimon.format.FormatReaderContext;
import org.apache.paimon.format.FormatReaderFactory;
import org.apache.paimon.format.FormatWriter;
import org.apache.paimon.fs.FileIO;
import org.apache.paimon.fs.Path;
import org.apache.paimon.fs.PositionOutputStream;
import org.apache.paimon.fs.local.LocalFileIO;
import org.apache.paimon.options.Options;
import org.apache.paimon.reader.RecordReader;
import org.apache.paimon.shade.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.paimon.shade.jackson2.com.fasterxml.jackson.databind.ObjectMapper;
import org.apache.paimon.types.ArrayType;
import org.apache.paimon.types.DataField;
import org.apache.paimon.types.DataType;
import org.apache.paimon.types.DataTypeJsonParser;
import org.apache.paimon.types.DecimalType;
import org.apache.paimon.types.IntType;
import org.apache.paimon.types.MapType;
import org.apache.paimon.types.MultisetType;
import org.apache.paimon.types.RowType;

/**
 * Writes and reads single data files with Apache Paimon's own Java formats.
 *
 * <p>One request a line on standard input, one answer a line on standard output, both JSON. What a value looks like
 * depends on its type: tests/peers/transport.py is the other side.
 */
public final class PaimonFiles {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final FileIO FILES = LocalFileIO.create();

    public static void main(String[] arguments) throws IOException {
        PrintStream answers = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        // Libraries that print must not disturb the answers.
        System.setOut(System.err);
        BufferedReader requests = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = requests.readLine(); line != null; line = requests.readLine()) {
            answers.println(JSON.writeValueAsString(answer(line)));
        }
    }

    private static Map<String, Object> answer(String line) {
        Map<String, Object> answer = new LinkedHashMap<>();
        try {
            JsonNode request = JSON.readTree(line);
            if (request.get("action").asText().equals("write")) {
                write(request);
            } else {
                answer.put("rows", read(request));
            }
        } catch (Throwable failure) {
            StringWriter trace = new StringWriter();
            failure.printStackTrace(new PrintWriter(trace));
            answer.put("error", String.valueOf(failure));
            answer.put("trace", trace.toString());
        }
        return answer;
    }

    private static FileFormat format(JsonNode request) {
        Options options = new Options();
        request.get("options").fields().forEachRemaining(entry -> options.set(entry.getKey(), entry.getValue().asText()));
        return FileFormat.fromIdentifier(request.get("format").asText(), options);
    }

    private static RowType rowType(JsonNode fields) {
        List<DataField> result = new ArrayList<>();
        fields.forEach(field -> result.add(DataTypeJsonParser.parseDataField(field)));
        return new RowType(result);
    }

    private static void write(JsonNode request) throws IOException {
        RowType type = rowType(request.get("fields"));
        FileFormat format = format(request);
        format.validateDataFields(type);
        Path path = new Path(request.get("path").asText());
        try (PositionOutputStream out = FILES.newOutputStream(path, true)) {
            FormatWriter writer = format.createWriterFactory(type).create(out, request.get("compression").asText());
            for (JsonNode row : request.get("rows")) {
                writer.addElement((InternalRow) toPaimon(row, type));
            }
            writer.close();
        }
    }

    private static List<Object> read(JsonNode request) throws IOException {
        RowType stored = rowType(request.get("fields"));
        RowType wanted = request.hasNonNull("wanted") ? rowType(request.get("wanted")) : stored;
        Path path = new Path(request.get("path").asText());
        FormatReaderFactory.Context context = new FormatReaderContext(FILES, path, FILES.getFileSize(path));
        FormatReaderFactory factory = format(request).createReaderFactory(stored, wanted, Collections.emptyList());
        List<Object> rows = new ArrayList<>();
        try (RecordReader<InternalRow> reader = factory.createReader(context)) {
            RecordReader.RecordIterator<InternalRow> batch;
            while ((batch = reader.readBatch()) != null) {
                for (InternalRow row = batch.next(); row != null; row = batch.next()) {
                    rows.add(fromPaimon(row, wanted));
                }
                batch.releaseBatch();
            }
        }
        return rows;
    }

    private static Object toPaimon(JsonNode value, DataType type) throws IOException {
        if (value == null || value.isNull()) {
            return null;
        }
        switch (type.getTypeRoot()) {
            case BOOLEAN:
                return value.asBoolean();
            case TINYINT:
                return (byte) value.asInt();
            case SMALLINT:
                return (short) value.asInt();
            case INTEGER:
            case DATE:
            case TIME_WITHOUT_TIME_ZONE:
                return value.asInt();
            case BIGINT:
                return value.asLong();
            case FLOAT:
                return Float.parseFloat(value.asText());
            case DOUBLE:
                return Double.parseDouble(value.asText());
            case DECIMAL:
                DecimalType decimal = (DecimalType) type;
                return Decimal.fromBigDecimal(
                        new BigDecimal(value.asText()), decimal.getPrecision(), decimal.getScale());
            case CHAR:
            case VARCHAR:
                return BinaryString.fromString(value.asText());
            case BINARY:
            case VARBINARY:
                return Base64.getDecoder().decode(value.asText());
            case TIMESTAMP_WITHOUT_TIME_ZONE:
            case TIMESTAMP_WITH_LOCAL_TIME_ZONE:
                return Timestamp.fromEpochMillis(value.get(0).asLong(), value.get(1).asInt());
            case ARRAY:
                Object[] elements = new Object[value.size()];
                for (int at = 0; at < elements.length; at++) {
                    elements[at] = toPaimon(value.get(at), ((ArrayType) type).getElementType());
                }
                return new GenericArray(elements);
            case MAP:
                return toMap(value, ((MapType) type).getKeyType(), ((MapType) type).getValueType());
            case MULTISET:
                return toMap(value, ((MultisetType) type).getElementType(), new IntType(false));
            case ROW:
                List<DataField> fields = ((RowType) type).getFields();
                GenericRow row = new GenericRow(fields.size());
                for (int at = 0; at < fields.size(); at++) {
                    row.setField(at, toPaimon(value.get(at), fields.get(at).type()));
                }
                return row;
            default:
                throw new IllegalArgumentException("no values of type " + type);
        }
    }

    private static GenericMap toMap(JsonNode entries, DataType key, DataType value) throws IOException {
        Map<Object, Object> map = new LinkedHashMap<>();
        for (JsonNode entry : entries) {
            map.put(toPaimon(entry.get(0), key), toPaimon(entry.get(1), value));
        }
        return new GenericMap(map);
    }

    private static Object fromPaimon(Object value, DataType type) {
        if (value == null) {
            return null;
        }
        switch (type.getTypeRoot()) {
            case FLOAT:
            case DOUBLE:
            case DECIMAL:
            case CHAR:
            case VARCHAR:
                return value.toString();
            case BINARY:
            case VARBINARY:
                return Base64.getEncoder().encodeToString((byte[]) value);
            case TIMESTAMP_WITHOUT_TIME_ZONE:
            case TIMESTAMP_WITH_LOCAL_TIME_ZONE:
                Timestamp timestamp = (Timestamp) value;
                return List.of(timestamp.getMillisecond(), timestamp.getNanoOfMillisecond());
            case ARRAY:
                return fromArray((InternalArray) value, ((ArrayType) type).getElementType());
            case MAP:
                return fromMap((InternalMap) value, ((MapType) type).getKeyType(), ((MapType) type).getValueType());
            case MULTISET:
                return fromMap((InternalMap) value, ((MultisetType) type).getElementType(), new IntType(false));
            case ROW:
                List<DataField> fields = ((RowType) type).getFields();
                List<Object> row = new ArrayList<>();
                for (int at = 0; at < fields.size(); at++) {
                    DataType field = fields.get(at).type();
                    row.add(fromPaimon(InternalRow.createFieldGetter(field, at).getFieldOrNull((InternalRow) value), field));
                }
                return row;
            default:
                return value;
        }
    }

    private static List<Object> fromArray(InternalArray array, DataType element) {
        InternalArray.ElementGetter getter = InternalArray.createElementGetter(element);
        List<Object> result = new ArrayList<>();
        for (int at = 0; at < array.size(); at++) {
            result.add(fromPaimon(getter.getElementOrNull(array, at), element));
        }
        return result;
    }

    private static List<Object> fromMap(InternalMap map, DataType key, DataType value) {
        List<Object> keys = fromArray(map.keyArray(), key);
        List<Object> values = fromArray(map.valueArray(), value);
        List<Object> entries = new ArrayList<>();
        for (int at = 0; at < keys.size(); at++) {
            List<Object> entry = new ArrayList<>();
            entry.add(keys.get(at));
            entry.add(values.get(at));
            entries.add(entry);
        }
        return entries;
    }
}
